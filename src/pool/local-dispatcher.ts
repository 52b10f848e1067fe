import assert from 'node:assert';
import { ServiceError } from '../errors/service-error.ts';
import { createAbortSubscriptions } from './abort-subscriptions.ts';
import type { Dispatcher } from './dispatcher.ts';
import {
  type Answer,
  type ChildEnd,
  type ChildOptions,
  type SupervisedChild,
  startChild,
} from './process/supervised-child.ts';
import { createProcessPool, type PoolLog } from './process-pool.ts';
import { createFairQueue } from './queue/fair-queue.ts';
import { assignWaiting } from './queue/slot-assignment.ts';
import { type SlotShares, slotsByPriority } from './queue/slot-shares.ts';
import { createTicket, type Ticket } from './queue/ticket.ts';
import { settledWithin } from './settled-within.ts';

export type LocalDispatcherOptions<Settings> = SlotShares & {
  moduleUrl: URL;
  /** Plain data, handed to the module's `createJobRunner` in each process. */
  settings: Settings;
  processes: number;
  /** A process above this limit is replaced once its jobs are done; above one and a half times the limit it is killed at once. */
  memoryLimitBytes?: number;
  /** More waiting jobs than this are refused. */
  maxQueued?: number;
  /** How long running jobs may go on after shutdown begins. */
  drainMs?: number;
  /** How long a process may take to give up a cancelled job before it is killed. */
  cancelGraceMs?: number;
  /** How long a process may take to answer a job before it is killed. */
  jobTimeoutMs?: number;
  /** How long a process with jobs may be silent before it is killed. */
  silenceTimeoutMs?: number;
  startTimeoutMs?: number;
  /** Failed starts in a row after which waiting jobs are rejected. */
  startAttempts?: number;
  memoryReportMs?: number;
  log?: PoolLog;
};

export type DispatcherStats = {
  /** Processes that are up and take jobs. */
  processes: number;
  busySlots: number;
  queued: number;
  /** Processes replaced since the start, for whatever reason. */
  restarts: number;
  rssBytes: number;
};

export interface LocalDispatcher<Job, Result> extends Dispatcher<Job, Result> {
  /** Resolves when the first process can take jobs; rejects when processes cannot start. */
  ready(): Promise<void>;
  stats(): DispatcherStats;
}

export function createLocalDispatcher<Settings, Job, Result>(
  options: LocalDispatcherOptions<Settings>,
): LocalDispatcher<Job, Result> {
  const { processes, slots, maxQueued = Number.POSITIVE_INFINITY } = options;
  assert(processes >= 1, 'A dispatcher needs at least one process.');

  type JobTicket = Ticket<Job, Result>;
  const slotsFor = slotsByPriority(options);
  const queue = createFairQueue<JobTicket>();
  const aborts = createAbortSubscriptions();
  let nextId = 0;
  let stopped: Promise<void> | undefined;

  const pool = createProcessPool<SupervisedChild<JobTicket>, ChildEnd<JobTicket>>({
    name: 'inference process',
    processes,
    startAttempts: options.startAttempts ?? 5,
    start: (events) =>
      startChild<JobTicket>(childOptions(options), {
        ready: events.ready,
        ended: events.ended,
        answered(ticket, answer) {
          events.worked();
          settle(ticket, answer);
        },
      }),
    log: options.log,
    onReady: dispatchWaiting,
    onEnd(end) {
      for (const ticket of end.unfinished) retry(ticket, end);
      dispatchWaiting();
    },
    onGiveUp(cause) {
      rejectWaiting(() => new ServiceError('internal_error', { cause }));
    },
  });

  return {
    async run(job, runOptions) {
      runOptions.signal?.throwIfAborted();
      if (stopped) throw new ServiceError('shutting_down');
      const onAbort = () => cancel(ticket);
      const ticket: JobTicket = createTicket({ ...runOptions, id: nextId++, job, aborts, onAbort });
      queue.push(ticket);
      pool.wake();
      dispatchWaiting();
      if (queue.size() > maxQueued && queue.remove(ticket)) ticket.reject(new ServiceError('overloaded'));
      return ticket.result;
    },

    ready: pool.ready,

    stats() {
      const children = [...pool.children];
      return {
        processes: pool.takingJobs().length,
        busySlots: children.reduce((sum, child) => sum + child.held().length, 0),
        queued: queue.size(),
        restarts: pool.restarts(),
        rssBytes: children.reduce((sum, child) => sum + child.rssBytes(), 0),
      };
    },

    async [Symbol.asyncDispose]() {
      stopped ??= stop();
      await stopped;
    },
  };

  function settle(ticket: JobTicket, answer: Answer): void {
    if (answer.ok) ticket.resolve(answer.result as Result);
    else ticket.reject(answer.error);
    dispatchWaiting();
  }

  function dispatchWaiting(): void {
    assignWaiting({ queue, children: pool.children, slots, slotsFor });
  }

  function cancel(ticket: JobTicket): void {
    if (queue.remove(ticket)) return;
    for (const child of pool.children) child.cancel(ticket);
  }

  /** When a process dies, each of its jobs loses one of two tries, unless another job is known to be the cause. */
  function retry(ticket: JobTicket, { cause, culprit }: ChildEnd<JobTicket>): void {
    if (ticket.settled) return;
    if (culprit === undefined || culprit === ticket) ticket.deaths++;
    if (stopped) ticket.reject(new ServiceError('shutting_down', { cause }));
    else if (ticket.deaths > 1) ticket.reject(new ServiceError('internal_error', { cause }));
    else queue.putBack(ticket);
  }

  function rejectWaiting(error: () => Error): void {
    for (const ticket of queue.removeAll()) ticket.reject(error());
  }

  async function stop(): Promise<void> {
    rejectWaiting(() => new ServiceError('shutting_down'));
    const running = [...pool.children].flatMap((child) => child.held());
    const results = running.map((ticket) => ticket.result);
    await pool.stop(settledWithin(options.drainMs ?? 10_000, results));
  }
}

function childOptions(options: LocalDispatcherOptions<unknown>): ChildOptions {
  return {
    moduleUrl: options.moduleUrl,
    settings: options.settings,
    startTimeoutMs: options.startTimeoutMs ?? 120_000,
    jobTimeoutMs: options.jobTimeoutMs ?? 900_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 120_000,
    cancelGraceMs: options.cancelGraceMs ?? 20_000,
    memoryReportMs: options.memoryReportMs ?? 1_000,
    memoryLimitBytes: options.memoryLimitBytes ?? Number.POSITIVE_INFINITY,
  };
}
