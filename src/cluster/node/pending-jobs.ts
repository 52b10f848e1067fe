import { type Priority, priorities } from '../../pool/dispatcher.ts';
import { createFairQueue } from '../../pool/queue/fair-queue.ts';
import type { Ticket } from '../../pool/queue/ticket.ts';
import type { JobToSend } from '../queue/job-sender.ts';
import { createRoundRobinRanks, type RoundRobinRanks } from './round-robin-ranks.ts';

/** A job between `run` and its answer. */
export type PendingJob<Result> = JobToSend & {
  ticket: Ticket<JobToSend, Result>;
  startedAt: number;
  /** Its rank in the queue of its priority; 0 while it waits here. */
  rank: number;
  /** How often it was sent, the latest sending, and whether that has arrived in Redis. */
  sent: number;
  sending: Promise<void>;
  isInRedis: boolean;
};

/** Every job of this node, and which of them are with the workers. */
export type PendingJobs<Result> = {
  add(job: PendingJob<Result>): void;
  find(id: string): PendingJob<Result> | undefined;
  all(): PendingJob<Result>[];
  /** The next that may go out, which then counts as out. */
  takeNext(): PendingJob<Result> | undefined;
  /** Whether others of the same request are out. */
  hasBegun(job: PendingJob<Result>): boolean;
  /** Forgets the job, and says whether it was out. */
  remove(job: PendingJob<Result>): boolean;
  /** Files that have windows out. */
  files(): number;
};

/** Of files, `maxFileJobs` may be out at once. The others wait here, where their audio is anyway. */
export function createPendingJobs<Result>(maxFileJobs: () => number): PendingJobs<Result> {
  const pending = new Map<string, PendingJob<Result>>();
  const waiting = createFairQueue<PendingJob<Result>>();
  const ranks: Record<Priority, RoundRobinRanks> = {
    realtime: createRoundRobinRanks(),
    interactive: createRoundRobinRanks(),
    file: createRoundRobinRanks(),
  };
  let fileJobs = 0;
  const isFull = (priority: Priority) => priority === 'file' && fileJobs >= maxFileJobs();

  return {
    add(job) {
      pending.set(job.id, job);
      waiting.push(job);
    },
    find: (id) => pending.get(id),
    all: () => [...pending.values()],

    takeNext() {
      for (const priority of priorities) {
        const job = isFull(priority) ? undefined : waiting.takeNext(priority);
        if (!job) continue;
        job.rank = ranks[priority].take(job.requestId);
        if (priority === 'file') fileJobs++;
        return job;
      }
      return undefined;
    },

    hasBegun: ({ priority, requestId }) => ranks[priority].jobsOut(requestId) > 1,

    remove(job) {
      if (!pending.delete(job.id) || waiting.remove(job)) return false;
      ranks[job.priority].giveBack(job.requestId);
      if (job.priority === 'file') fileJobs--;
      return true;
    },

    files: () => ranks.file.size(),
  };
}
