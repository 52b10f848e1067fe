/** Wakes everybody who waits at the moment at which it notifies. */
export type Notifier = {
  /** Resolves at the next notification. */
  next(): Promise<void>;
  notify(): void;
};

export function createNotifier(): Notifier {
  let waiting: { promise: Promise<void>; wake(): void } | undefined;
  return {
    next() {
      if (waiting) return waiting.promise;
      let wake = () => {};
      const promise = new Promise<void>((resolve) => {
        wake = resolve;
      });
      waiting = { promise, wake };
      return promise;
    },
    notify() {
      waiting?.wake();
      waiting = undefined;
    },
  };
}
