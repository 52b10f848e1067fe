import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../../errors/service-error.ts';

const persistMs = 4_000;
const pauseMs = 200;

/** Tries again while the database is away, for as long as whoever waits for the answer may be kept waiting. */
export async function persistently<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + persistMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'unavailable') || performance.now() + pauseMs > giveUpAt) throw error;
      await delay(pauseMs);
    }
  }
}
