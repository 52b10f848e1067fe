import type { AbortSubscriptions } from '../abort-subscriptions.ts';
import type { Priority, RunOptions } from '../dispatcher.ts';

/** A job between `run` and its answer. Its promise is settled once, even if processes die, answer late or the job is cancelled. */
export type Ticket<Job, Result> = {
  readonly id: number;
  readonly job: Job;
  readonly requestId: string;
  readonly priority: Priority;
  readonly result: Promise<Result>;
  readonly settled: boolean;
  /** How many processes have died while they ran it. */
  deaths: number;
  resolve(result: Result): void;
  reject(reason: unknown): void;
};

type TicketOptions<Job> = RunOptions & { id: number; job: Job; aborts: AbortSubscriptions; onAbort(): void };

export function createTicket<Job, Result>(options: TicketOptions<Job>): Ticket<Job, Result> {
  const { id, job, requestId, priority, signal, aborts } = options;
  let settled = false;
  let settle: { resolve(result: Result): void; reject(reason: unknown): void };
  const result = new Promise<Result>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const unsubscribe =
    signal &&
    aborts.subscribe(signal, () => {
      ticket.reject(signal.reason);
      options.onAbort();
    });
  const finish = () => {
    settled = true;
    unsubscribe?.();
  };

  const ticket: Ticket<Job, Result> = {
    id,
    job,
    requestId,
    priority,
    result,
    deaths: 0,
    get settled() {
      return settled;
    },
    resolve(value) {
      finish();
      settle.resolve(value);
    },
    reject(reason) {
      finish();
      settle.reject(reason);
    },
  };
  return ticket;
}
