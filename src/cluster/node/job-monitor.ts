import type { JobSender, JobTrace } from '../queue/job-sender.ts';
import type { PendingJob, PendingJobs } from './pending-jobs.ts';

/** Looks after the jobs that are out: keeps their audio in Redis, and finds out when Redis or a message was lost. */
export type JobMonitor = Disposable & { look(): Promise<void> };

type Options<Result> = {
  pending: PendingJobs<Result>;
  sender: JobSender;
  lookEveryMs: number;
  /** How long Redis or the workers may be away before nobody waits any more. */
  outageMs: number;
  /** How long a job may take, waiting included. */
  deadlineMs: number;
  /** For how long nobody has been there to do any work. */
  withoutWorkersMs(): number;
  /** It has been answered, and the message that said so was lost. */
  onAnswer(job: PendingJob<Result>): void;
  /** Redis does not know it any more. */
  onLost(job: PendingJob<Result>): void;
  /** Nobody should wait for it any longer. */
  onGivenUp(job: PendingJob<Result>): void;
  /** Jobs were looked at, and Redis is there. */
  onLooked(): void;
  /** For work that may fail without harm: whatever it would have changed expires. */
  inBackground(work: Promise<unknown>): void;
};

/** Redis may lose what it holds more than once, but a job that is always lost is given up. */
const mostSendings = 4;
/** A job that has waited so long goes before those that have just come. */
const longWaitMs = 20_000;

export function startJobMonitor<Result>(options: Options<Result>): JobMonitor {
  const { pending, sender, outageMs, deadlineMs, withoutWorkersMs } = options;
  /** Since when Redis has not answered. */
  let awaySince: number | undefined;
  const timer = setInterval(look, options.lookEveryMs).unref();
  return { look, [Symbol.dispose]: () => clearInterval(timer) };

  async function look(): Promise<void> {
    const now = performance.now();
    giveUpOverdue(now);
    const inRedis = pending.all().filter((job) => job.isInRedis);
    try {
      const traces = await sender.keepAlive(inRedis);
      awaySince = undefined;
      for (const [index, trace] of traces.entries()) attend(inRedis[index]!, trace);
      options.onLooked();
    } catch {
      awaySince ??= now;
    }
  }

  function giveUpOverdue(now: number): void {
    const isAway = awaySince !== undefined && now - awaySince > outageMs;
    const isHopeless = isAway || withoutWorkersMs() > outageMs;
    for (const job of pending.all()) {
      if (isHopeless || now - job.startedAt > deadlineMs) options.onGivenUp(job);
    }
  }

  function attend(job: PendingJob<Result>, trace: JobTrace): void {
    if (job.ticket.settled || !job.isInRedis) return;
    if (trace.answer) options.onAnswer(job);
    else if (!trace.job && job.sent >= mostSendings) options.onGivenUp(job);
    else if (!trace.job) options.onLost(job);
    else if (!trace.input) options.inBackground(renewInput(job));
    else if (job.rank > 1 && performance.now() - job.startedAt > longWaitMs) {
      job.rank = 1;
      options.inBackground(sender.bringForward(job));
    }
  }

  async function renewInput(job: PendingJob<Result>): Promise<void> {
    await sender.renewInput(job);
    // It may have been answered just now.
    if (job.ticket.settled) await sender.collect(job.id);
  }
}
