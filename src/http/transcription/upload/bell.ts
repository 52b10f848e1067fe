/** Wakes whoever is waiting at the moment it rings. */
export type Bell = { next(): Promise<void>; ring(): void };

export function createBell(): Bell {
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
    ring() {
      waiting?.wake();
      waiting = undefined;
    },
  };
}
