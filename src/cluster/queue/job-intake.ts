import { createRedisBackend, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Priority, priorities } from '../../pool/dispatcher.ts';
import { type ClusterKeys, queuePrefix } from '../cluster-keys.ts';

/** A job that this worker has taken and nobody else may have, as long as its lock is renewed. */
export type TakenJob = {
  id: string;
  requestId: string;
  priority: Priority;
  /** Two workers have died with this job, or seemed to: it must not be begun again. */
  givenUp: boolean;
  /** The job was answered, or is not wanted any more. */
  complete(): Promise<void>;
  /** Keeps the job among the failed ones, where operators find it. */
  setAside(reason: string): Promise<void>;
  /** Gives the job to another worker. This does not count as a death. */
  handBack(): Promise<void>;
  /** Stops renewing its lock. If none of the calls above succeeded, another worker gets the job in time. */
  letGo(): void;
};

export type JobIntake = AsyncDisposable & {
  take(priority: Priority): Promise<TakenJob | undefined>;
};

type IntakeOptions = {
  redis: Redis;
  keys: ClusterKeys;
  lockMs: number;
  /** Jobs of a dead worker are waiting again. */
  onStalled(priority: Priority): void;
};

type Held = { worker: Worker; token: string };

/**
 * The queues from a worker's side. Jobs are fetched one by one when a slot is free. BullMQ's own loop could not do that: it
 * has one for each queue, with a limit of its own.
 */
export async function createJobIntake({ redis, keys, lockMs, onStalled }: IntakeOptions): Promise<JobIntake> {
  const held = new Map<string, Held>();
  let nextToken = 0;
  const open = (priority: Priority) => {
    const settings = {
      connection: redis,
      prefix: queuePrefix,
      lockDuration: lockMs,
      stalledInterval: lockMs / 2,
      maxStalledCount: 1,
    };
    // BullMQ would open a second connection for blocking commands, and none is used here.
    const worker = new Worker(keys.queueName(priority), null, settings, (name, given) =>
      createRedisBackend(name, given),
    );
    worker.on('error', () => {});
    worker.on('stalled', () => onStalled(priority));
    return worker;
  };
  const workers = { realtime: open('realtime'), interactive: open('interactive'), file: open('file') };
  await Promise.all(Object.values(workers).map((worker) => worker.startStalledCheckTimer()));

  const renewal = setInterval(() => {
    for (const worker of Object.values(workers)) {
      const jobs = [...held].filter(([, job]) => job.worker === worker);
      if (jobs.length === 0) continue;
      const ids = jobs.map(([id]) => id);
      const tokens = jobs.map(([, { token }]) => token);
      // When a lock is lost, another worker has the job too. The first answer counts.
      worker.extendJobLocks(ids, tokens, lockMs).catch(() => {});
    }
  }, lockMs / 3).unref();

  return {
    async take(priority) {
      const worker = workers[priority];
      const token = `${worker.id}:${nextToken++}`;
      const job: Job<{ requestId: string }> | undefined = await worker.getNextJob(token, { block: false });
      if (!job?.id) return undefined;
      const { id } = job;
      held.set(id, { worker, token });
      const end = async (move: () => Promise<unknown>) => {
        held.delete(id);
        await move();
      };
      return {
        id,
        requestId: job.data.requestId,
        priority,
        givenUp: job.deferredFailure !== undefined,
        // A job that is not ours any more is with another worker, which will find no input.
        complete: () => end(() => job.moveToCompleted('', token, false).catch(() => {})),
        setAside: (reason) => end(() => job.moveToFailed(new UnrecoverableError(reason), token, false)),
        handBack: () => end(() => job.moveToWait(token)),
        letGo: () => held.delete(id),
      };
    },

    async [Symbol.asyncDispose]() {
      clearInterval(renewal);
      await Promise.allSettled(priorities.map((priority) => workers[priority].close(true)));
    },
  };
}
