export type RetryOptions = {
  /** Whether the error may pass by itself; every error may, unless told otherwise. */
  mayPass?(error: unknown): boolean;
  /** When to give up, on the clock of `performance.now()`. Asked after each failure. */
  giveUpAt(): number;
  /** Waits before the next try, at most so long. False when no other try is worth making. */
  pause(leftMs: number): Promise<unknown>;
};

/** Tries again for as long as the other side may come back, and throws the last error when it has not. */
export async function retry<Result>(
  work: () => Result | Promise<Result>,
  { mayPass = () => true, giveUpAt, pause }: RetryOptions,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const leftMs = giveUpAt() - performance.now();
      if (leftMs <= 0 || (await pause(leftMs)) === false) throw error;
    }
  }
}
