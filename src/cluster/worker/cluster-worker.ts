import type { Redis } from 'ioredis';
import type { Dispatcher, Priority } from '../../pool/dispatcher.ts';
import { settledWithin } from '../../pool/settled-within.ts';
import { clusterKeys } from '../cluster-keys.ts';
import type { WorkerCodec } from '../queue/job-codec.ts';
import { createJobIntake, type TakenJob } from '../queue/job-intake.ts';
import { createJobReceiver } from '../queue/job-receiver.ts';
import { subscribe } from '../subscription.ts';
import { createJobFetcher } from './job-fetcher.ts';
import { createJobRunner, handBack, notWanted } from './job-runner.ts';

export type ClusterWorkerOptions<Job, Result> = {
  redis: Redis;
  /** Whose jobs it takes: see `clusterGroup`. */
  group: string;
  codec: WorkerCodec<Job, Result>;
  /** Does the work. The worker does not dispose of it. */
  dispatcher: Dispatcher<Job, Result>;
  /** How many jobs of a priority and below it there may be at once, by now. */
  slotsFor(priority: Priority): number;
  /** How long a worker may give no sign of life before its jobs go to others. */
  lockMs?: number;
  /** How often it looks for work although nobody said that there is any. */
  lookEveryMs?: number;
  /** How long running jobs may go on after shutdown begins; then others get them. */
  drainMs?: number;
  /** How long it tries to hand over an answer that Redis does not take. */
  persistenceMs?: number;
  log?: { warn(fields: object, message: string): void };
};

export type ClusterWorker = AsyncDisposable & {
  /** Jobs under way. */
  busy(): number;
};

/** A job that was taken: it fills a slot until its result is known, and is held until it is answered. */
type HeldJob = TakenJob & { abort: AbortController; fillsSlot: boolean; done: Promise<void> };

/** Takes jobs of its group from Redis and does them here, never more than it has slots for. */
export async function createClusterWorker<Job, Result>(
  options: ClusterWorkerOptions<Job, Result>,
): Promise<ClusterWorker> {
  const { redis, codec, dispatcher, slotsFor, log } = options;
  const keys = clusterKeys(options.group);
  const held = new Map<string, HeldJob>();
  let stopped: Promise<void> | undefined;

  const receiver = createJobReceiver({
    redis,
    keys,
    maxJobBytes: codec.maxJobBytes,
    persistenceMs: options.persistenceMs ?? 60_000,
    onReturn: () => fetcher.lookEverywhere(),
  });
  const runJob = createJobRunner({ codec, dispatcher, receiver });
  const intake = await createJobIntake({
    redis,
    keys,
    lockMs: options.lockMs ?? 10_000,
    onStalled: (priority) => fetcher.lookAt(priority),
  });
  const filledSlots = () => [...held.values()].filter(({ fillsSlot }) => fillsSlot);
  const fetcher = createJobFetcher({
    intake,
    filledSlots: () => filledSlots().map(({ priority }) => priority),
    slotsFor,
    onJob: begin,
  });
  const channels = await subscribe(redis, {
    [keys.work]: (priority) => fetcher.lookAt(priority as Priority),
    [keys.cancelled]: (id) => held.get(id)?.abort.abort(notWanted),
  });
  const timer = setInterval(fetcher.lookEverywhere, options.lookEveryMs ?? 1_000).unref();
  fetcher.lookEverywhere();

  return {
    busy: () => filledSlots().length,
    async [Symbol.asyncDispose]() {
      stopped ??= stop();
      await stopped;
    },
  };

  function begin(taken: TakenJob): void {
    const abort = new AbortController();
    const job: HeldJob = { ...taken, abort, fillsSlot: true, done: Promise.resolve() };
    held.set(job.id, job);
    const onResult = () => {
      job.fillsSlot = false;
      fetcher.proceed();
    };
    job.done = runJob(job, { signal: abort.signal, onResult })
      .catch((err) => log?.warn({ err }, 'a job could not be answered'))
      .finally(() => {
        held.delete(job.id);
        job.letGo();
        fetcher.proceed();
      });
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    await fetcher.stop();
    const running = () => [...held.values()].map(({ done }) => done);
    await settledWithin(options.drainMs ?? 10_000, running());
    for (const job of held.values()) job.abort.abort(handBack);
    await settledWithin(2_000, running());
    await channels[Symbol.asyncDispose]();
    await intake[Symbol.asyncDispose]();
    receiver[Symbol.dispose]();
  }
}
