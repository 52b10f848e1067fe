import { createStartBackoff } from './process/start-backoff.ts';
import {
  type Answer,
  type Assignable,
  type ChildEnd,
  type ChildOptions,
  type SupervisedChild,
  startChild,
} from './process/supervised-child.ts';
import { settledWithin } from './settled-within.ts';

export type ProcessPoolOptions<Item> = {
  processes: number;
  /** Failed starts in a row after which the pool gives up. */
  startAttempts: number;
  child: ChildOptions;
  log?: PoolLog | undefined;
  /** A process became ready. */
  onReady(): void;
  onAnswer(item: Item, answer: Answer): void;
  onEnd(end: ChildEnd<Item>): void;
  /** Too many starts in a row failed; no other is tried until `wake`. */
  onGiveUp(cause: Error): void;
};

export type PoolLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** Keeps a number of processes running, and replaces those that end. */
export type ProcessPool<Item> = {
  children: ReadonlySet<SupervisedChild<Item>>;
  restarts(): number;
  /** There is work: processes are started again if the pool had given up. */
  wake(): void;
  /** Starts no more processes, and kills those there are once `drained` is settled. */
  stop(drained: Promise<unknown>): Promise<void>;
};

const killedWithinMs = 2_000;

export function createProcessPool<Item extends Assignable>(
  options: ProcessPoolOptions<Item>,
): ProcessPool<Item> {
  const { processes, log } = options;
  const children = new Set<SupervisedChild<Item>>();
  const backoff = createStartBackoff(options.startAttempts);
  let restarts = 0;
  let restartTimer: NodeJS.Timeout | undefined;
  let state: 'running' | 'gave_up' | 'stopped' = 'running';
  startMissing();

  return {
    children,
    restarts: () => restarts,

    wake,

    async stop(drained) {
      state = 'stopped';
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
    const child: SupervisedChild<Item> = startChild<Item>(options.child, {
      ready() {
        backoff.ready();
        wake();
        const startMs = Math.round(performance.now() - startedAt);
        log?.info({ pid: child.pid, startMs, rssBytes: child.rssBytes() }, 'inference process ready');
        options.onReady();
      },
      answered(item, answer) {
        backoff.worked();
        options.onAnswer(item, answer);
      },
      ended(end) {
        children.delete(child);
        options.onEnd(end);
        if (state !== 'stopped') replace(child, end);
      },
    });
    children.add(child);
  }

  function replace(child: SupervisedChild<Item>, end: ChildEnd<Item>): void {
    restarts++;
    const fields = { pid: child.pid, reason: end.cause.message, unfinished: end.unfinished.length };
    if (end.planned) log?.info(fields, 'inference process replaced');
    else log?.warn(fields, 'inference process ended');
    backoff.ended(end);
    if (state === 'gave_up') return;
    if (backoff.exhausted() && ![...children].some((other) => other.takesJobs())) {
      state = 'gave_up';
      clearTimeout(restartTimer);
      restartTimer = undefined;
      backoff.reset();
      options.onGiveUp(end.cause);
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
