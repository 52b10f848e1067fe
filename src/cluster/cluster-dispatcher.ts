import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { ServiceError } from '../errors.ts';
import { createAbortWatch } from '../inference/abort-watch.ts';
import { type Dispatcher, priorities } from '../inference/dispatcher.ts';
import { createFairQueue } from '../inference/fair-queue.ts';
import { settledWithin } from '../inference/settled-within.ts';
import { createTicket, type Ticket } from '../inference/ticket.ts';
import { clusterKeys, jobIdOf } from './cluster-keys.ts';
import { unpackAnswer } from './job-answer.ts';
import type { JobCodec } from './job-codec.ts';
import { createJobPost, type JobTrace, type PostedJob } from './job-post.ts';
import { createRedisPresence } from './redis-presence.ts';
import { createRequestTurns } from './request-turns.ts';
import { subscribe } from './subscription.ts';

export interface ClusterDispatcher<Job, Result> extends Dispatcher<Job, Result> {
  /** Requests that have work out. */
  requests(): number;
}

export type ClusterDispatcherOptions<Job, Result> = {
  redis: Redis;
  /** Who takes the jobs: see `clusterGroup`. */
  group: string;
  codec: JobCodec<Job, Result>;
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

/** A job between `run` and its answer. */
type Errand<Result> = PostedJob & {
  ticket: Ticket<PostedJob, Result>;
  startedAt: number;
  turn: number;
  /** How often it was sent, none while it waits here; the latest sending, and whether that is over. */
  sent: number;
  sending: Promise<void>;
  isThere: boolean;
};

/** Redis may lose what it holds more than once, but a job that is always lost is given up. */
const mostSendings = 4;
const retryAfterSeconds = 5;
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
  const { maxFileJobs = () => Number.POSITIVE_INFINITY, withoutWorkersMs = () => 0 } = options;
  const keys = clusterKeys(options.group);
  const nodeId = randomBytes(6).toString('hex');
  const aborts = createAbortWatch();
  const errands = new Map<string, Errand<Result>>();
  const waiting = createFairQueue<Errand<Result>>();
  const turns = createRequestTurns();
  const closing = new Set<Promise<unknown>>();
  let fileJobs = 0;
  /** When Redis last answered. */
  let heardAt = performance.now();
  let nextNumber = 0;
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
      const posted: PostedJob = {
        id: jobIdOf(nodeId, number),
        requestId,
        priority,
        pack: () => codec.packJob(job),
      };
      const onAbort = () => withdraw(errand);
      const ticket = createTicket<PostedJob, Result>({
        ...runOptions,
        id: number,
        job: posted,
        aborts,
        onAbort,
      });
      const errand: Errand<Result> = {
        ...posted,
        ticket,
        startedAt: performance.now(),
        turn: 0,
        sent: 0,
        sending: Promise.resolve(),
        isThere: false,
      };
      errands.set(errand.id, errand);
      waiting.push(errand);
      sendWaiting();
      return ticket.result;
    },

    requests: turns.size,

    async [Symbol.asyncDispose]() {
      stopped ??= stop();
      await stopped;
    },
  };

  function sendWaiting(): void {
    for (const priority of priorities) {
      while (priority !== 'file' || fileJobs < maxFileJobs()) {
        const errand = waiting.takeTurn(priority);
        if (!errand) break;
        errand.sending = send(errand);
      }
    }
  }

  async function send(errand: Errand<Result>): Promise<void> {
    const { requestId, priority } = errand;
    const since = performance.now();
    const patience = priority === 'realtime' || turns.hasJobsOut(requestId) ? outageMs : patienceMs;
    if (errand.sent === 0) {
      errand.turn = turns.take(requestId);
      if (priority === 'file') fileJobs++;
    }
    errand.sent++;
    errand.isThere = false;
    if (withoutWorkersMs() > Math.max(patience, restartMs)) return fail(errand, unavailable());
    while (!errand.ticket.settled) {
      const left = patience - (performance.now() - since);
      if (left <= 0 || !(await presence.within(left))) return fail(errand, unavailable());
      try {
        if (!errand.ticket.settled) await post.send(errand, errand.turn);
        errand.isThere = true;
        return;
      } catch {
        await delay(100);
      }
    }
  }

  async function collect(id: string): Promise<void> {
    const errand = errands.get(id);
    try {
      if (!errand) return await post.discardAnswer(id);
      const bytes = await post.collect(id);
      if (!bytes || errand.ticket.settled) return;
      settle(errand, () => errand.ticket.resolve(unpackAnswer(codec, bytes)));
    } catch {
      // Redis went away: what has become of the job is looked at again.
    }
  }

  /** The answer, or the error that came in its place. */
  function settle(errand: Errand<Result>, give: () => void): void {
    forget(errand);
    try {
      give();
    } catch (error) {
      errand.ticket.reject(error);
    }
    // Sent again, it may be with two workers; the second need not go on.
    if (errand.sent > 1) inBackground(post.withdraw(errand));
  }

  function fail(errand: Errand<Result>, error: ServiceError): void {
    if (errand.ticket.settled) return;
    errand.ticket.reject(error);
    withdraw(errand);
  }

  /** Its caller has been told already. */
  function withdraw(errand: Errand<Result>): void {
    const wasHere = waiting.remove(errand);
    forget(errand);
    if (!wasHere) inBackground(errand.sending.then(() => post.withdraw(errand)));
  }

  function forget(errand: Errand<Result>): void {
    if (!errands.delete(errand.id) || errand.sent === 0) return;
    turns.giveBack(errand.requestId);
    if (errand.priority === 'file') fileJobs--;
    sendWaiting();
  }

  /** What fails of it is left to expire. */
  function inBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => closing.delete(done));
    closing.add(done);
  }

  /** Looks after every job that is out: keeps its audio, and finds out when Redis or a message was lost. */
  async function look(): Promise<void> {
    const now = performance.now();
    const isLost = now - heardAt > outageMs || withoutWorkersMs() > outageMs;
    for (const errand of [...errands.values()]) {
      if (now - errand.startedAt > deadlineMs || isLost) fail(errand, unavailable());
    }
    const there = [...errands.values()].filter((errand) => errand.isThere);
    try {
      const traces = await post.keepAlive(there);
      heardAt = performance.now();
      for (const [index, trace] of traces.entries()) attend(there[index]!, trace);
    } catch {
      // Redis is away, or answers nothing.
    }
  }

  function attend(errand: Errand<Result>, trace: JobTrace): void {
    if (errand.ticket.settled || !errand.isThere) return;
    if (trace.answer) void collect(errand.id);
    else if (!trace.job && errand.sent >= mostSendings) fail(errand, unavailable());
    else if (!trace.job) errand.sending = send(errand);
    else if (!trace.input) inBackground(post.renewInput(errand));
    else if (errand.turn > 1 && performance.now() - errand.startedAt > longWaitMs) {
      errand.turn = 1;
      inBackground(post.bringForward(errand));
    }
  }

  async function stop(): Promise<void> {
    for (const errand of waiting.removeAll()) {
      errands.delete(errand.id);
      errand.ticket.reject(new ServiceError('shutting_down'));
    }
    await Promise.allSettled([...errands.values()].map(refuseUnlessRunning));
    const running = [...errands.values()].map(({ ticket }) => ticket.result);
    await settledWithin(options.drainMs ?? 10_000, running);
    for (const errand of [...errands.values()]) fail(errand, new ServiceError('shutting_down'));
    await settledWithin(2_000, [...closing]);
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

function unavailable(): ServiceError {
  return new ServiceError('overloaded', { retryAfterSeconds });
}
