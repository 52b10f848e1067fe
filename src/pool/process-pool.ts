import { ServiceError } from '../errors/service-error.ts';
import { createStartBackoff } from './process/start-backoff.ts';
import { settledWithin } from './settled-within.ts';

/** What the pool needs to know of a process. */
export type PooledProcess = {
  readonly pid: number | undefined;
  readonly ended: Promise<void>;
  rssBytes(): number;
  /** Ready, and neither retiring nor about to die. */
  takesJobs(): boolean;
  stop(): void;
};

export type ProcessEnd = {
  cause: Error;
  /** It was retired or shut down, so nothing went wrong. */
  planned: boolean;
  wasReady: boolean;
  answered: number;
  unfinished: readonly unknown[];
};

export type ProcessEvents<End> = {
  ready(): void;
  /** It did something that it was asked for. */
  worked(): void;
  ended(end: End): void;
};

export type ProcessPoolOptions<Process, End> = {
  /** For the log. */
  name: string;
  processes: number;
  /** Failed starts in a row after which the pool gives up. */
  startAttempts: number;
  /** Starts a process, which reports only later. */
  start(events: ProcessEvents<End>): Process;
  log?: PoolLog | undefined;
  /** A process became ready. */
  onReady(): void;
  onEnd(end: End): void;
  /** Too many starts in a row failed; no other is tried until `wake`. */
  onGiveUp(cause: Error): void;
};

export type PoolLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** Keeps a number of processes running, and replaces those that end. */
export type ProcessPool<Process> = {
  children: ReadonlySet<Process>;
  restarts(): number;
  takingJobs(): Process[];
  /** Resolves when the first process takes jobs; rejects when processes cannot start, or the pool is stopped. */
  ready(): Promise<void>;
  /** There is work: processes are started again if the pool had given up. */
  wake(): void;
  /** Starts no more processes, and kills those there are once `drained` is settled. */
  stop(drained: Promise<unknown>): Promise<void>;
};

const killedWithinMs = 2_000;

export function createProcessPool<Process extends PooledProcess, End extends ProcessEnd>(
  options: ProcessPoolOptions<Process, End>,
): ProcessPool<Process> {
  const { name, processes, log } = options;
  const children = new Set<Process>();
  const backoff = createStartBackoff(options.startAttempts);
  const awaitingReady = new Set<{ resolve(): void; reject(reason: Error): void }>();
  let restarts = 0;
  let restartTimer: NodeJS.Timeout | undefined;
  let state: 'running' | 'gave_up' | 'stopped' = 'running';
  startMissing();

  return {
    children,
    restarts: () => restarts,
    takingJobs,
    wake,

    async ready() {
      if (state === 'stopped') throw new ServiceError('shutting_down');
      if (takingJobs().length > 0) return;
      wake();
      await new Promise<void>((resolve, reject) => awaitingReady.add({ resolve, reject }));
    },

    async stop(drained) {
      state = 'stopped';
      tellAwaiting((waiter) => waiter.reject(new ServiceError('shutting_down')));
      clearTimeout(restartTimer);
      await drained;
      const all = [...children];
      for (const child of all) child.stop();
      await settledWithin(
        killedWithinMs,
        all.map((child) => child.ended),
      );
    },
  };

  function takingJobs(): Process[] {
    return [...children].filter((child) => child.takesJobs());
  }

  function tellAwaiting(tell: (waiter: { resolve(): void; reject(reason: Error): void }) => void): void {
    for (const waiter of awaitingReady) tell(waiter);
    awaitingReady.clear();
  }

  function wake(): void {
    if (state !== 'gave_up') return;
    state = 'running';
    startMissing();
  }

  function startMissing(): void {
    while (children.size < processes) start();
  }

  function start(): void {
    const startedAt = performance.now();
    const child: Process = options.start({
      ready() {
        backoff.ready();
        wake();
        const startMs = Math.round(performance.now() - startedAt);
        log?.info({ pid: child.pid, startMs, rssBytes: child.rssBytes() }, `${name} ready`);
        tellAwaiting((waiter) => waiter.resolve());
        options.onReady();
      },
      worked: backoff.worked,
      ended(end) {
        children.delete(child);
        options.onEnd(end);
        if (state !== 'stopped') replace(child, end);
      },
    });
    children.add(child);
  }

  function replace(child: Process, end: End): void {
    restarts++;
    const fields = { pid: child.pid, reason: end.cause.message, unfinished: end.unfinished.length };
    if (end.planned) log?.info(fields, `${name} replaced`);
    else log?.warn(fields, `${name} ended`);
    backoff.ended(end);
    if (state === 'gave_up') return;
    if (backoff.exhausted() && takingJobs().length === 0) {
      state = 'gave_up';
      clearTimeout(restartTimer);
      restartTimer = undefined;
      backoff.reset();
      const error = new Error(`The ${name} cannot start: ${end.cause.message}`, { cause: end.cause });
      tellAwaiting((waiter) => waiter.reject(error));
      options.onGiveUp(error);
      return;
    }
    scheduleStart();
  }

  /** Not unref'd: jobs may be waiting for this start while no process is there to keep the parent alive. */
  function scheduleStart(): void {
    restartTimer ??= setTimeout(() => {
      restartTimer = undefined;
      startMissing();
    }, backoff.delayMs());
  }
}
