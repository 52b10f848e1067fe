type Options = {
  everyMs: number;
  work(): Promise<unknown>;
  /** Called for the first failure only, until the work has succeeded again: an outage is one event. */
  onError(error: unknown): void;
};

/** Does work again and again in the background, one run at a time. */
export function repeat({ everyMs, work, onError }: Options): Disposable {
  let working = false;
  let failing = false;
  const once = async () => {
    if (working) return;
    working = true;
    try {
      await work();
      failing = false;
    } catch (error) {
      if (!failing) onError(error);
      failing = true;
    } finally {
      working = false;
    }
  };
  const timer = setInterval(() => void once(), everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
