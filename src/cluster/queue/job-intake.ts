import { createRedisBackend, type Job, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Priority, priorities } from '../../pool/dispatcher.ts';
import { type ClusterKeys, queuePrefix } from '../cluster-keys.ts';

/** A job that this worker has taken and nobody else may have, as long as its lock is renewed. */
export type TakenJob = {
  id: string;
  requestId: string;
  priority: Priority;
  /** Two workers have died with it, or seemed to: it is not begun again. */
  givenUp: boolean;
  /** Answered, or not wanted any more. */
  complete(): Promise<void>;
  /** Kept where operators find it. */
  setAside(reason: string): Promise<void>;
  /** For another worker. This is no death. */
  handBack(): Promise<void>;
  /** Its lock is not renewed any more: should none of the above have come to pass, another gets it in time. */
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
    // Nothing here blocks, so no second connection for that is opened.
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
      // A lock that was lost means that another has the job too; the first answer counts.
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
        // One that is not ours any more is with another, who will find nothing to do.
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
