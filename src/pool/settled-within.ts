import { setTimeout as delay } from 'node:timers/promises';

/** Waits until all are settled, in whatever way, but no longer than `timeoutMs`. */
export async function settledWithin(timeoutMs: number, promises: Promise<unknown>[]): Promise<void> {
  const settled = new AbortController();
  const timeout = delay(timeoutMs, undefined, { signal: settled.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(promises), timeout]);
  settled.abort();
}
