import { createNotifier } from './notifier.ts';

/** From callbacks to one reader that takes its time. */
export type AsyncQueue<Item> = {
  /** Does nothing once the queue has ended. */
  push(item: Item): void;
  /** Nothing more is taken in. The reader still gets what waits, and then the end. */
  end(): void;
  /** The same, but the reader gets this error in place of the end. */
  fail(error: unknown): void;
  /** The newest item that waits for the reader. */
  readonly last: Item | undefined;
  /** Items that wait for the reader. */
  readonly size: number;
  /** For a writer that can wait: resolves when fewer items wait than the capacity, or when nobody reads them any more. */
  space(): Promise<void>;
  /** For one reader. When it stops, or the signal aborts, the queue has ended and what waits is dropped. */
  items(): AsyncGenerator<Item>;
};

export type AsyncQueueOptions = {
  /** Of items, beyond which writers should wait. */
  capacity?: number;
  /** The reader gets its reason as an error, and nothing more. */
  signal?: AbortSignal;
};

export function createAsyncQueue<Item>(options: AsyncQueueOptions = {}): AsyncQueue<Item> {
  const { capacity = Number.POSITIVE_INFINITY, signal } = options;
  const arrived = createNotifier();
  const taken = createNotifier();
  let waiting: Item[] = [];
  let ended = false;
  let failure: { error: unknown } | undefined;

  const end = () => {
    ended = true;
    arrived.notify();
  };
  const drop = () => {
    end();
    waiting = [];
    taken.notify();
  };
  if (signal?.aborted) drop();
  else signal?.addEventListener('abort', drop, { once: true });

  return {
    push(item) {
      if (ended) return;
      waiting.push(item);
      arrived.notify();
    },
    end,
    fail(error) {
      if (ended) return;
      failure = { error };
      end();
    },
    get last() {
      return waiting.at(-1);
    },
    get size() {
      return waiting.length;
    },
    async space() {
      while (waiting.length >= capacity) await taken.next();
    },
    async *items() {
      try {
        for (;;) {
          signal?.throwIfAborted();
          if (waiting.length > 0) {
            const item = waiting.shift()!;
            taken.notify();
            yield item;
          } else if (failure) throw failure.error;
          else if (ended) return;
          else await arrived.next();
        }
      } finally {
        signal?.removeEventListener('abort', drop);
        drop();
      }
    },
  };
}
