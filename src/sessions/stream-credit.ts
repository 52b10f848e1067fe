import { setTimeout as delay } from 'node:timers/promises';
import { retry } from '../async/retry.ts';
import { hasCode } from '../errors/service-error.ts';

type Options = {
  seconds: number;
  /** Pays for what was used meanwhile; throws `unavailable` while the database is away. */
  repay(): Promise<void>;
  retryMs?: number;
};

export type StreamCredit = {
  /** Throws the reason why the stream may not go on. */
  throwIfUsedUp(): void;
  close(): void;
};

/** Tries in the background to pay, until it succeeds, is refused, or has taken too long. */
export function openStreamCredit({ seconds, repay, retryMs = 1_000 }: Options): StreamCredit {
  const endsAt = performance.now() + seconds * 1000;
  const closing = new AbortController();
  let refusal: { error: unknown } | undefined;

  const pause = () => delay(retryMs, undefined, { signal: closing.signal, ref: false });
  const repayInTime = () =>
    retry(repay, {
      mayPass: (error) => hasCode(error, 'unavailable'),
      giveUpAt: () => endsAt,
      pause,
    });
  pause()
    .then(repayInTime)
    .catch((error) => {
      refusal = { error };
    });

  return {
    throwIfUsedUp() {
      if (refusal) throw refusal.error;
    },
    close: () => closing.abort(),
  };
}
