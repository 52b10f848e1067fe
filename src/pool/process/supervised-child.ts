import type { Priority } from '../dispatcher.ts';
import { unpackError } from './carried-error.ts';
import { forkProcess } from './child-process.ts';
import { judgeMemory, memoryExceeded } from './memory-limit.ts';
import type { FromChild, ToChild } from './messages.ts';
import { after, createProcessLife } from './process-life.ts';

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

const name = 'inference process';

export function startChild<Item extends Assignable>(
  options: ChildOptions,
  events: ChildEvents<Item>,
): SupervisedChild<Item> {
  const held = new Map<number, { item: Item; deadline: NodeJS.Timeout }>();
  let isRetiring = false;
  let answered = 0;
  let rssBytes = 0;
  const life = createProcessLife<Item>({
    name,
    startTimeoutMs: options.startTimeoutMs,
    silenceTimeoutMs: options.silenceTimeoutMs,
    hasWork: () => held.size > 0,
    terminate: () => child.kill(),
  });
  const child = forkProcess<ToChild, FromChild>(
    { entry: new URL('./child.ts', import.meta.url), name, niceness: 5 },
    { message: receive, exit: end },
  );
  const { moduleUrl, settings, memoryReportMs } = options;
  try {
    child.send({ type: 'start', moduleUrl: moduleUrl.href, settings, memoryReportMs });
  } catch (error) {
    life.kill({ cause: error as Error });
  }

  return {
    pid: child.pid,
    ended: life.ended,
    rssBytes: () => rssBytes,
    takesJobs: () => life.isReady() && !isRetiring,
    held: () => Array.from(held.values(), ({ item }) => item),

    assign(item) {
      const cause = new Error(`A job was not answered within ${options.jobTimeoutMs} ms.`);
      const deadline = after(options.jobTimeoutMs, () => life.kill({ cause, blame: item }));
      held.set(item.id, { item, deadline });
      life.expect();
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
      entry.deadline = after(options.cancelGraceMs, () => life.kill({ cause, blame: item }));
    },

    stop: () => life.kill({ cause: new Error('The inference process was shut down.'), planned: true }),
  };

  function receive(message: FromChild): void {
    life.expect();
    switch (message.type) {
      case 'ready':
        noteMemory(message.rssBytes);
        if (life.begin()) events.ready();
        break;
      case 'start_failed':
        life.kill({ cause: unpackError(message.error) });
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
    if (verdict === 'kill') life.kill({ cause: memoryExceeded(name, rssBytes, limitBytes) });
    if (verdict === 'retire') isRetiring = true;
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
    if (!isRetiring || !life.isReady() || held.size > 0) return;
    life.kill({ cause: memoryExceeded(name, rssBytes, options.memoryLimitBytes), planned: true });
  }

  function end(exit: Error): void {
    for (const { deadline } of held.values()) clearTimeout(deadline);
    const unfinished = Array.from(held.values(), ({ item }) => item);
    held.clear();
    const { cause, planned = false, blame: culprit } = life.end(exit);
    events.ended({ cause, planned, culprit, wasReady: life.wasReady(), answered, unfinished });
  }
}
