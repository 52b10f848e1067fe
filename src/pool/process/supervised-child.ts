import type { Priority } from '../dispatcher.ts';
import { unpackError } from './carried-error.ts';
import { forkProcess } from './child-process.ts';
import { judgeMemory, memoryExceeded } from './memory-limit.ts';
import type { FromChild, ToChild } from './messages.ts';

export type Assignable = { readonly id: number; readonly job: unknown; readonly priority: Priority };

export type ChildOptions = {
  moduleUrl: URL;
  settings: unknown;
  startTimeoutMs: number;
  jobTimeoutMs: number;
  silenceTimeoutMs: number;
  cancelGraceMs: number;
  memoryReportMs: number;
  memoryLimitBytes: number;
};

export type ChildEnd<Item> = {
  cause: Error;
  /** It was retired or shut down, so nothing went wrong. */
  planned: boolean;
  wasReady: boolean;
  answered: number;
  unfinished: Item[];
  /** The job that caused the end, where that is known; otherwise it may be any unfinished one. */
  culprit: Item | undefined;
};

export type ChildEvents<Item> = {
  ready(): void;
  /** The job's slot is free again. */
  answered(item: Item, answer: Answer): void;
  ended(end: ChildEnd<Item>): void;
};

export type Answer = { ok: true; result: unknown } | { ok: false; error: Error };

/** One process: what it holds, how long it may hold it, and how much memory it may use meanwhile. */
export type SupervisedChild<Item> = {
  readonly pid: number | undefined;
  readonly ended: Promise<void>;
  rssBytes(): number;
  /** Ready, and neither retiring nor about to die. */
  takesJobs(): boolean;
  held(): Item[];
  assign(item: Item): void;
  cancel(item: Item): void;
  stop(): void;
};

export function startChild<Item extends Assignable>(
  options: ChildOptions,
  events: ChildEvents<Item>,
): SupervisedChild<Item> {
  const held = new Map<number, { item: Item; deadline: NodeJS.Timeout }>();
  let state: 'starting' | 'ready' | 'retiring' | 'dying' = 'starting';
  let wasReady = false;
  let answered = 0;
  let rssBytes = 0;
  let silence: NodeJS.Timeout | undefined;
  let death: { cause: Error; planned?: boolean; culprit?: Item } | undefined;
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });

  const child = forkProcess<ToChild, FromChild>(
    { entry: new URL('./child.ts', import.meta.url), name: 'inference process' },
    { message: receive, exit: end },
  );
  const startDeadline = after(options.startTimeoutMs, () =>
    kill({ cause: new Error(`The job module was not ready after ${options.startTimeoutMs} ms.`) }),
  );
  const { moduleUrl, settings, memoryReportMs } = options;
  try {
    child.send({ type: 'start', moduleUrl: moduleUrl.href, settings, memoryReportMs });
  } catch (error) {
    kill({ cause: error as Error });
  }

  return {
    pid: child.pid,
    ended,
    rssBytes: () => rssBytes,
    takesJobs: () => state === 'ready',
    held: () => Array.from(held.values(), ({ item }) => item),

    assign(item) {
      const cause = new Error(`A job was not answered within ${options.jobTimeoutMs} ms.`);
      const deadline = after(options.jobTimeoutMs, () => kill({ cause, culprit: item }));
      held.set(item.id, { item, deadline });
      expectLife();
      try {
        child.send({ type: 'run', id: item.id, job: item.job });
      } catch (error) {
        queueMicrotask(() => release(item.id, { ok: false, error: error as Error }));
      }
    },

    /** The slot stays taken until the process answers: it may still be computing. */
    cancel(item) {
      const entry = held.get(item.id);
      if (!entry) return;
      child.send({ type: 'cancel', id: item.id });
      clearTimeout(entry.deadline);
      const cause = new Error(`A cancelled job was not given up within ${options.cancelGraceMs} ms.`);
      entry.deadline = after(options.cancelGraceMs, () => kill({ cause, culprit: item }));
    },

    stop: () => kill({ cause: new Error('The inference process was shut down.'), planned: true }),
  };

  /**
   * A process at work reports its memory again and again, so that one that hangs can be told from a slow one. The time is measured in
   * four quarters: when the machine slept, and this process with it, the reports that have not been read yet do not count as missing.
   */
  function expectLife(quarters = 4): void {
    clearTimeout(silence);
    if (held.size === 0) return;
    const cause = new Error(`The inference process said nothing for ${options.silenceTimeoutMs} ms.`);
    silence = after(options.silenceTimeoutMs / 4, () =>
      quarters === 1 ? kill({ cause }) : expectLife(quarters - 1),
    );
  }

  function receive(message: FromChild): void {
    expectLife();
    switch (message.type) {
      case 'ready':
        clearTimeout(startDeadline);
        noteMemory(message.rssBytes);
        if (state !== 'starting') return;
        state = 'ready';
        wasReady = true;
        events.ready();
        break;
      case 'start_failed':
        kill({ cause: unpackError(message.error) });
        break;
      case 'memory':
        noteMemory(message.rssBytes);
        break;
      case 'done':
        answered++;
        noteMemory(message.rssBytes);
        release(message.id, { ok: true, result: message.result });
        break;
      case 'failed':
        answered++;
        noteMemory(message.rssBytes);
        release(message.id, { ok: false, error: unpackError(message.error) });
        break;
      default:
        message satisfies never;
    }
  }
  function noteMemory(bytes: number): void {
    rssBytes = bytes;
    const limitBytes = options.memoryLimitBytes;
    const verdict = judgeMemory({ rssBytes, limitBytes, hasWorked: answered > 0 });
    if (verdict === 'kill') kill({ cause: memoryExceeded(rssBytes, limitBytes) });
    if (verdict === 'retire' && state === 'ready') state = 'retiring';
    retireWhenEmpty();
  }

  function release(id: number, answer: Answer): void {
    const entry = held.get(id);
    if (!entry) return;
    clearTimeout(entry.deadline);
    held.delete(id);
    retireWhenEmpty();
    events.answered(entry.item, answer);
  }

  function retireWhenEmpty(): void {
    if (state !== 'retiring' || held.size > 0) return;
    kill({ cause: memoryExceeded(rssBytes, options.memoryLimitBytes), planned: true });
  }

  function kill(reason: { cause: Error; planned?: boolean; culprit?: Item }): void {
    death ??= reason;
    state = 'dying';
    child.kill();
  }

  function end(exit: Error): void {
    state = 'dying';
    clearTimeout(startDeadline);
    clearTimeout(silence);
    for (const { deadline } of held.values()) clearTimeout(deadline);
    const unfinished = Array.from(held.values(), ({ item }) => item);
    held.clear();
    markEnded();
    const { cause = exit, planned = false, culprit } = death ?? {};
    events.ended({ cause, planned, culprit, wasReady, answered, unfinished });
  }
}

function after(delayMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, delayMs).unref();
}
