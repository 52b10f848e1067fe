/** A queue for one reader, which iterates over it. `onAbandoned` is called when the reader stops early. */
type EventQueue<Event> = AsyncIterable<Event> & {
  push(event: Event): void;
  /** After everything has been read, the iterator ends, or throws the error. */
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
