import { type Priority, priorities } from '../pool/dispatcher.ts';
import { createFairQueue } from '../pool/queue/fair-queue.ts';
import type { Ticket } from '../pool/queue/ticket.ts';
import type { PostedJob } from './queue/job-post.ts';
import { createRequestTurns, type RequestTurns } from './request-turns.ts';

/** A job between `run` and its answer. */
export type Errand<Result> = PostedJob & {
  ticket: Ticket<PostedJob, Result>;
  startedAt: number;
  /** Which turn it has among all that wait; none while it waits here. */
  turn: number;
  /** How often it was sent, the latest sending, and whether that is over. */
  sent: number;
  sending: Promise<void>;
  isThere: boolean;
};

/** Every job of this node, and which of them are with the workers. */
export type ErrandBook<Result> = {
  add(errand: Errand<Result>): void;
  find(id: string): Errand<Result> | undefined;
  all(): Errand<Result>[];
  /** The next that may go out, which then counts as out. */
  takeNext(): Errand<Result> | undefined;
  /** Whether others of the same request are out. */
  hasBegun(errand: Errand<Result>): boolean;
  /** Strikes it off, and says whether it was out. */
  remove(errand: Errand<Result>): boolean;
  /** Files that have windows out. */
  files(): number;
};

/** `maxFileJobs` may be out at once; the others wait here, where their audio is anyway. */
export function createErrandBook<Result>(maxFileJobs: () => number): ErrandBook<Result> {
  const errands = new Map<string, Errand<Result>>();
  const waiting = createFairQueue<Errand<Result>>();
  const turns: Record<Priority, RequestTurns> = {
    realtime: createRequestTurns(),
    interactive: createRequestTurns(),
    file: createRequestTurns(),
  };
  let fileJobs = 0;
  const isFull = (priority: Priority) => priority === 'file' && fileJobs >= maxFileJobs();

  return {
    add(errand) {
      errands.set(errand.id, errand);
      waiting.push(errand);
    },
    find: (id) => errands.get(id),
    all: () => [...errands.values()],

    takeNext() {
      for (const priority of priorities) {
        const errand = isFull(priority) ? undefined : waiting.takeNext(priority);
        if (!errand) continue;
        errand.turn = turns[priority].take(errand.requestId);
        if (priority === 'file') fileJobs++;
        return errand;
      }
      return undefined;
    },

    hasBegun: ({ priority, requestId }) => turns[priority].jobsOut(requestId) > 1,

    remove(errand) {
      if (!errands.delete(errand.id) || waiting.remove(errand)) return false;
      turns[errand.priority].giveBack(errand.requestId);
      if (errand.priority === 'file') fileJobs--;
      return true;
    },

    files: () => turns.file.size(),
  };
}
