import { setTimeout as delay } from 'node:timers/promises';
import { retry } from '../../async/retry.ts';
import { hasCode } from '../../errors/service-error.ts';

const persistMs = 4_000;
const pauseMs = 200;

/** Tries again while the database is away, as long as the client may be kept waiting for its answer. */
export function persistently<Result>(work: () => Promise<Result>): Promise<Result> {
  const giveUpAt = performance.now() + persistMs - pauseMs;
  return retry(work, {
    mayPass: (error) => hasCode(error, 'unavailable'),
    giveUpAt: () => giveUpAt,
    pause: () => delay(pauseMs),
  });
}
