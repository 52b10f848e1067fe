import type { JobsOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Priority } from '../../pool/dispatcher.ts';
import type { ClusterKeys } from '../cluster-keys.ts';
import { closeJobQueues, openJobQueues } from './job-queues.ts';

export type JobToSend = { id: string; requestId: string; priority: Priority; pack(): Buffer };

export type JobTrace = { job: boolean; answer: boolean; input: boolean };

/** Puts jobs into Redis and takes answers from it. Every call rejects when Redis is away. */
export type JobSender = AsyncDisposable & {
  /** Sending a job again changes nothing as long as Redis still has it. */
  send(job: JobToSend, rank: number): Promise<void>;
  /** Takes a waiting job back. Tells the worker of a running one that it is not wanted, and gives false. */
  withdraw(job: JobToSend): Promise<boolean>;
  /** Takes a job back only if nobody has begun it. */
  takeBack(job: JobToSend): Promise<boolean>;
  /** Takes the answer, if there is one; of one that is too long, one byte too many. */
  collect(id: string): Promise<Buffer | undefined>;
  discardAnswer(id: string): Promise<void>;
  /** Says what Redis has of each job, and keeps the audio of each from expiring. */
  keepAlive(jobs: JobToSend[]): Promise<JobTrace[]>;
  renewInput(job: JobToSend): Promise<void>;
  /** Gives it the first rank, if it still waits. */
  bringForward(job: JobToSend): Promise<void>;
};

/** The audio of a node that died expires after this long. */
const inputMs = 30_000;

/** Jobs that were set aside are kept for operators, without their audio. */
const setAside = { age: 86_400, count: 1_000 };

type Options = { redis: Redis; keys: ClusterKeys; maxAnswerBytes: number };

export function createJobSender({ redis, keys, maxAnswerBytes }: Options): JobSender {
  const queues = openJobQueues(redis, keys);
  const putInput = ({ id, pack }: JobToSend) => redis.set(keys.input(id), pack(), 'PX', inputMs);
  const remove = async ({ id, priority }: JobToSend) =>
    (await queues[priority].remove(id, { removeChildren: false })) === 1;

  return {
    async send(job, rank) {
      const { id, requestId, priority } = job;
      const options: JobsOptions = {
        jobId: id,
        priority: rank,
        attempts: 1,
        removeOnComplete: true,
        removeOnFail: setAside,
      };
      // Redis carries out the commands of one connection in order: a worker that sees the job finds its input.
      await Promise.all([putInput(job), queues[priority].add('job', { requestId }, options)]);
      await redis.publish(keys.work, priority);
    },

    async withdraw(job) {
      // A worker that has not begun the job will find no input, and drop it.
      await redis.del(keys.input(job.id));
      if (await remove(job)) return true;
      await redis.publish(keys.cancelled, job.id);
      return false;
    },

    async takeBack(job) {
      const taken = await remove(job);
      if (taken) await redis.del(keys.input(job.id));
      return taken;
    },

    async collect(id) {
      // No more than an answer can have: what lies there may be as large as Redis' memory.
      const [answer] = await Promise.all([
        redis.getrangeBuffer(keys.answer(id), 0, maxAnswerBytes),
        redis.del(keys.answer(id), keys.input(id)),
      ]);
      return answer.length > 0 ? answer : undefined;
    },

    async discardAnswer(id) {
      await redis.del(keys.answer(id));
    },

    async keepAlive(jobs) {
      const asked = jobs.map(async (job): Promise<JobTrace> => {
        // In this order, since a worker writes the answer before it removes the job.
        const [exists, answered, kept] = await Promise.all([
          redis.exists(queues[job.priority].toKey(job.id)),
          redis.exists(keys.answer(job.id)),
          redis.pexpire(keys.input(job.id), inputMs),
        ]);
        return { job: exists === 1, answer: answered === 1, input: kept === 1 };
      });
      return Promise.all(asked);
    },

    async renewInput(job) {
      await putInput(job);
    },

    async bringForward({ id, priority }) {
      const job = await queues[priority].getJob(id);
      await job?.changePriority({ priority: 1 });
    },

    async [Symbol.asyncDispose]() {
      await closeJobQueues(queues);
    },
  };
}
