import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { retry } from '../../async/retry.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { createAbortSubscriptions } from '../../pool/abort-subscriptions.ts';
import type { Dispatcher } from '../../pool/dispatcher.ts';
import { createTicket } from '../../pool/queue/ticket.ts';
import { settledWithin } from '../../pool/settled-within.ts';
import { createRedisPresence } from '../../storage/redis/redis-presence.ts';
import { clusterKeys, isJobOf, jobIdOf } from '../cluster-keys.ts';
import { maxAnswerBytes, unpackAnswer } from '../queue/job-answer.ts';
import type { NodeCodec } from '../queue/job-codec.ts';
import { createJobSender, type JobToSend } from '../queue/job-sender.ts';
import { subscribe } from '../subscription.ts';
import { unavailable } from '../unavailable.ts';
import { startJobMonitor } from './job-monitor.ts';
import { createPendingJobs, type PendingJob } from './pending-jobs.ts';

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
  /** How often Redis is asked about the jobs that are out. */
  lookEveryMs?: number;
  /** How long a job waits for Redis when no other job of its request has begun. */
  patienceMs?: number;
  /** How long it waits when its request has begun, or when somebody is speaking. */
  outageMs?: number;
  /** How long a job may take, waiting included. */
  deadlineMs?: number;
  /** How long running jobs may go on after shutdown begins. */
  drainMs?: number;
};

/** A worker that is started again may be the only one there is. */
const restartMs = 15_000;
/** After an outage, workers first send the answers that they could not send. */
const lookAfterReturnMs = 1_000;
const pauseBeforeNextTryMs = 100;

/** Work for the workers of a group, wherever they are. This node looks after its jobs until they are answered. */
export async function createClusterDispatcher<Job, Result>(
  options: ClusterDispatcherOptions<Job, Result>,
): Promise<ClusterDispatcher<Job, Result>> {
  const { redis, codec } = options;
  const { patienceMs = 2_000, outageMs = 60_000, deadlineMs = 900_000, lookEveryMs = 5_000 } = options;
  const { maxFileJobs = () => Number.POSITIVE_INFINITY, withoutWorkersMs = () => 0 } = options;
  const keys = clusterKeys(options.group);
  const nodeId = randomBytes(6).toString('hex');
  const aborts = createAbortSubscriptions();
  const pending = createPendingJobs<Result>(maxFileJobs);
  const background = new Set<Promise<unknown>>();
  let nextNumber = 0;
  let stopped: Promise<void> | undefined;

  const sender = createJobSender({ redis, keys, maxAnswerBytes: maxAnswerBytes(codec) });
  const answers = await subscribe(redis, { [keys.answered(nodeId)]: (id) => void collect(id) });
  const monitor = startJobMonitor<Result>({
    pending,
    sender,
    lookEveryMs,
    outageMs,
    deadlineMs,
    withoutWorkersMs,
    onAnswer: ({ id }) => void collect(id),
    onLost: startSending,
    onGivenUp: (job) => fail(job, unavailable()),
    onLooked: sendWaiting,
    inBackground,
  });
  const presence = createRedisPresence({
    redis,
    pauseMs: pauseBeforeNextTryMs,
    onReturn: () => setTimeout(monitor.look, lookAfterReturnMs).unref(),
  });

  return {
    async run(work, runOptions) {
      const { requestId, priority, signal } = runOptions;
      signal?.throwIfAborted();
      if (stopped) throw new ServiceError('shutting_down');
      const number = nextNumber++;
      const id = jobIdOf(nodeId, number);
      const toSend: JobToSend = { id, requestId, priority, pack: () => codec.packJob(work) };
      const onAbort = () => withdraw(job);
      const job: PendingJob<Result> = {
        ...toSend,
        ticket: createTicket({ ...runOptions, id: number, job: toSend, aborts, onAbort }),
        startedAt: performance.now(),
        rank: 0,
        sent: 0,
        sending: Promise.resolve(),
        isInRedis: false,
      };
      pending.add(job);
      sendWaiting();
      return job.ticket.result;
    },

    files: pending.files,

    async [Symbol.asyncDispose]() {
      stopped ??= stop();
      await stopped;
    },
  };

  function sendWaiting(): void {
    for (;;) {
      const job = stopped ? undefined : pending.takeNext();
      if (!job) return;
      startSending(job);
    }
  }

  function startSending(job: PendingJob<Result>): void {
    job.sending = send(job);
  }

  async function send(job: PendingJob<Result>): Promise<void> {
    const isPatient = job.priority === 'realtime' || job.sent > 0 || pending.hasBegun(job);
    const patience = isPatient ? outageMs : patienceMs;
    job.sent++;
    job.isInRedis = false;
    if (withoutWorkersMs() > Math.max(patience, restartMs)) return fail(job, unavailable());
    const giveUpAt = performance.now() + patience;
    try {
      await retry(() => sender.send(job, job.rank), {
        mayPass: () => !job.ticket.settled,
        giveUpAt: () => giveUpAt,
        pause: async (leftMs) => (await presence.againWithin(leftMs)) && !job.ticket.settled,
      });
      job.isInRedis = true;
    } catch {
      fail(job, unavailable());
    }
  }

  async function collect(id: string): Promise<void> {
    const job = pending.find(id);
    try {
      if (!isJobOf(nodeId, id)) return;
      if (!job) return await sender.discardAnswer(id);
      const bytes = await sender.collect(id);
      if (bytes && !job.ticket.settled) settle(job, bytes);
    } catch {
      // Redis went away: the monitor looks at the job again.
    }
  }

  function settle(job: PendingJob<Result>, answer: Buffer): void {
    pending.remove(job);
    try {
      job.ticket.resolve(unpackAnswer(codec, answer));
    } catch (error) {
      job.ticket.reject(error);
    }
    // A job that was sent again may be with two workers; the second need not go on.
    if (job.sent > 1) inBackground(job.sending.then(() => sender.withdraw(job)));
    sendWaiting();
  }

  function fail(job: PendingJob<Result>, error: ServiceError): void {
    if (job.ticket.settled) return;
    job.ticket.reject(error);
    withdraw(job);
  }

  /** Its caller has been told already. */
  function withdraw(job: PendingJob<Result>): void {
    if (pending.remove(job)) inBackground(job.sending.then(() => sender.withdraw(job)));
    sendWaiting();
  }

  /** It may fail without harm: whatever it would have removed expires. */
  function inBackground(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => background.delete(done));
    background.add(done);
  }

  async function stop(): Promise<void> {
    for (const job of pending.all()) if (job.sent === 0) fail(job, new ServiceError('shutting_down'));
    await settledWithin(2_000, pending.all().map(refuseUnlessRunning));
    const running = pending.all().map(({ ticket }) => ticket.result);
    await settledWithin(options.drainMs ?? 10_000, running);
    for (const job of pending.all()) fail(job, new ServiceError('shutting_down'));
    await settledWithin(2_000, [...background]);
    monitor[Symbol.dispose]();
    presence[Symbol.dispose]();
    await answers[Symbol.asyncDispose]();
    await sender[Symbol.asyncDispose]();
  }

  async function refuseUnlessRunning(job: PendingJob<Result>): Promise<void> {
    await job.sending;
    if (!(await sender.takeBack(job))) return;
    await collect(job.id);
    fail(job, new ServiceError('shutting_down'));
  }
}
