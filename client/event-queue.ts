/** What is pushed in comes out of the iterator, in order, once. */
export type EventQueue<Event> = AsyncIterable<Event> & {
  push(event: Event): void;
  /** The iterator ends once everything has been read; with an error, it throws then. */
  end(error?: unknown): void;
};

export function createEventQueue<Event>(onAbandoned: () => void = () => {}): EventQueue<Event> {
  const waiting: Event[] = [];
  let ended: { error?: unknown } | undefined;
  let wake: () => void = () => {};

  return {
    push(event) {
      if (ended) return;
      waiting.push(event);
      wake();
    },
    end(error) {
      ended ??= error === undefined ? {} : { error };
      wake();
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          while (waiting.length > 0) yield waiting.shift()!;
          if (ended && 'error' in ended) throw ended.error;
          if (ended) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        if (!ended) onAbandoned();
      }
    },
  };
}
