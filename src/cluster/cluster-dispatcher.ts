import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ServiceError } from '../errors.ts';
import { createAbortSubscriptions } from '../pool/abort-subscriptions.ts';
import type { Dispatcher } from '../pool/dispatcher.ts';
import { createTicket } from '../pool/queue/ticket.ts';
import { settledWithin } from '../pool/settled-within.ts';
import { clusterKeys, jobIdOf } from './cluster-keys.ts';
import { createErrandBook, type Errand } from './errand-book.ts';
import { unpackAnswer } from './queue/job-answer.ts';
import type { NodeCodec } from './queue/job-codec.ts';
import { createJobPost, type JobTrace, type PostedJob } from './queue/job-post.ts';
import { createRedisPresence } from './redis-presence.ts';
import { subscribe } from './subscription.ts';
import { unavailable } from './unavailable.ts';

export interface ClusterDispatcher<Job, Result> extends Dispatcher<Job, Result> {
  /** Files that have windows out. */
  files(): number;
}

export type ClusterDispatcherOptions<Job, Result> = {
  redis: Redis;
  /** Who takes the jobs: see `clusterGroup`. */
  group: string;
  codec: NodeCodec<Job, Result>;
  /** Jobs of files that may be in Redis at once; the others wait here, where their audio is anyway. */
  maxFileJobs?: () => number;
  /** For how long nobody has been there to do any work. */
  withoutWorkersMs?: () => number;
  /** How often it is asked what has become of jobs. */
  lookEveryMs?: number;
  /** How long work that has not begun waits for Redis, and how long what has begun or is being spoken does. */
  patienceMs?: number;
  outageMs?: number;
  /** How long a job may take, waiting included. */
  deadlineMs?: number;
  /** How long running jobs may go on after shutdown begins. */
  drainMs?: number;
};

/** Redis may lose what it holds more than once, but a job that is always lost is given up. */
const mostSendings = 4;
/** Who has waited so long goes before those who have just come. */
const longWaitMs = 20_000;
/** A worker that is started again may be all there are. */
const restartMs = 15_000;
/** Workers that were away too first say what they have done meanwhile. */
const lookAfterReturnMs = 1_000;

/** Work for the workers of a group, wherever they are. This node looks after its jobs until they are answered. */
export async function createClusterDispatcher<Job, Result>(
  options: ClusterDispatcherOptions<Job, Result>,
): Promise<ClusterDispatcher<Job, Result>> {
  const { redis, codec } = options;
  const { patienceMs = 2_000, outageMs = 60_000, deadlineMs = 900_000 } = options;
  const { withoutWorkersMs = () => 0 } = options;
  const keys = clusterKeys(options.group);
  const nodeId = randomBytes(6).toString('hex');
  const aborts = createAbortSubscriptions();
  const book = createErrandBook<Result>(options.maxFileJobs ?? (() => Number.POSITIVE_INFINITY));
  const background = new Set<Promise<unknown>>();
  let nextNumber = 0;
  /** Since when Redis has not answered. */
  let awaySince: number | undefined;
  let stopped: Promise<void> | undefined;

  const presence = createRedisPresence(redis, () => setTimeout(look, lookAfterReturnMs).unref());
  const post = createJobPost(redis, keys);
  const answers = await subscribe(redis, { [keys.answered(nodeId)]: (id) => void collect(id) });
  const timer = setInterval(look, options.lookEveryMs ?? 5_000).unref();

  return {
    async run(job, runOptions) {
      const { requestId, priority, signal } = runOptions;
      signal?.throwIfAborted();
      if (stopped) throw new ServiceError('shutting_down');
      const number = nextNumber++;
      const id = jobIdOf(nodeId, number);
      const posted: PostedJob = { id, requestId, priority, pack: () => codec.packJob(job) };
      const onAbort = () => withdraw(errand);
      const errand: Errand<Result> = {
        ...posted,
        ticket: createTicket({ ...runOptions, id: number, job: posted, aborts, onAbort }),
        startedAt: performance.now(),
        turn: 0,
        sent: 0,
        sending: Promise.resolve(),
        isThere: false,
      };
      book.add(errand);
      sendWaiting();
      return errand.ticket.result;
    },

    files: book.files,

    async [Symbol.asyncDispose]() {
      stopped ??= stop();
      await stopped;
    },
  };

  function sendWaiting(): void {
    for (;;) {
      const errand = stopped ? undefined : book.takeNext();
      if (!errand) return;
      errand.sending = send(errand);
    }
  }

  async function send(errand: Errand<Result>): Promise<void> {
    const since = performance.now();
    const isPatient = errand.priority === 'realtime' || errand.sent > 0 || book.hasBegun(errand);
    const patience = isPatient ? outageMs : patienceMs;
    errand.sent++;
    errand.isThere = false;
    if (withoutWorkersMs() > Math.max(patience, restartMs)) return fail(errand, unavailable());
    while (!errand.ticket.settled) {
      const left = patience - (performance.now() - since);
      if (left <= 0 || !(await presence.within(left))) return fail(errand, unavailable());
      if (errand.ticket.settled) return;
      try {
        await post.send(errand, errand.turn);
        errand.isThere = true;
        return;
      } catch {
        await delay(100);
      }
    }
  }

  async function collect(id: string): Promise<void> {
    const errand = book.find(id);
    try {
      if (!errand) return await post.discardAnswer(id);
      const bytes = await post.collect(id);
      if (bytes && !errand.ticket.settled) settle(errand, bytes);
    } catch {
      // Redis went away: what has become of the job is looked at again.
    }
  }

  function settle(errand: Errand<Result>, answer: Buffer): void {
    book.remove(errand);
    try {
      errand.ticket.resolve(unpackAnswer(codec, answer));
    } catch (error) {
      errand.ticket.reject(error);
    }
    // Sent again, it may be with two workers; the second need not go on.
    if (errand.sent > 1) inBackground(errand.sending.then(() => post.withdraw(errand)));
    sendWaiting();
  }

  function fail(errand: Errand<Result>, error: ServiceError): void {
    if (errand.ticket.settled) return;
    errand.ticket.reject(error);
    withdraw(errand);
  }

  /** Its caller has been told already. */
  function withdraw(errand: Errand<Result>): void {
    if (book.remove(errand)) inBackground(errand.sending.then(() => post.withdraw(errand)));
    sendWaiting();
  }

  /** What fails of it is left to expire. */
  function inBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => background.delete(done));
    background.add(done);
  }

  /** Looks after every job that is out: keeps its audio, and finds out when Redis or a message was lost. */
  async function look(): Promise<void> {
    const now = performance.now();
    const isAway = awaySince !== undefined && now - awaySince > outageMs;
    const isLost = isAway || withoutWorkersMs() > outageMs;
    for (const errand of book.all()) {
      if (isLost || now - errand.startedAt > deadlineMs) fail(errand, unavailable());
    }
    const there = book.all().filter((errand) => errand.isThere);
    try {
      const traces = await post.keepAlive(there);
      awaySince = undefined;
      for (const [index, trace] of traces.entries()) attend(there[index]!, trace);
      sendWaiting();
    } catch {
      awaySince ??= now;
    }
  }

  function attend(errand: Errand<Result>, trace: JobTrace): void {
    if (errand.ticket.settled || !errand.isThere) return;
    if (trace.answer) void collect(errand.id);
    else if (!trace.job && errand.sent >= mostSendings) fail(errand, unavailable());
    else if (!trace.job) errand.sending = send(errand);
    else if (!trace.input) inBackground(renewInput(errand));
    else if (errand.turn > 1 && performance.now() - errand.startedAt > longWaitMs) {
      errand.turn = 1;
      inBackground(post.bringForward(errand));
    }
  }

  async function renewInput(errand: Errand<Result>): Promise<void> {
    await post.renewInput(errand);
    // It may have been answered just now.
    if (errand.ticket.settled) await post.collect(errand.id);
  }

  async function stop(): Promise<void> {
    for (const errand of book.all()) if (errand.sent === 0) fail(errand, new ServiceError('shutting_down'));
    await settledWithin(2_000, book.all().map(refuseUnlessRunning));
    const running = book.all().map(({ ticket }) => ticket.result);
    await settledWithin(options.drainMs ?? 10_000, running);
    for (const errand of book.all()) fail(errand, new ServiceError('shutting_down'));
    await settledWithin(2_000, [...background]);
    clearInterval(timer);
    presence[Symbol.dispose]();
    await answers[Symbol.asyncDispose]();
    await post[Symbol.asyncDispose]();
  }

  async function refuseUnlessRunning(errand: Errand<Result>): Promise<void> {
    await errand.sending;
    if (!(await post.takeBack(errand))) return;
    await collect(errand.id);
    fail(errand, new ServiceError('shutting_down'));
  }
}
