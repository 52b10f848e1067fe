import { hasCode } from '../errors/service-error.ts';

type Options = {
  seconds: number;
  /** Pays for what was used meanwhile; throws `unavailable` as long as nobody can be asked. */
  repay(): Promise<void>;
  retryMs?: number;
};

export type StreamCredit = {
  /** Throws what stands in the way of going on. */
  throwIfUsedUp(): void;
  close(): void;
};

/** Tries to pay until it succeeds, is refused, or has taken too long; audio does not wait for it. */
export function openStreamCredit({ seconds, repay, retryMs = 1_000 }: Options): StreamCredit {
  const endsAt = performance.now() + seconds * 1000;
  let refusal: { error: unknown } | undefined;
  let timer = setTimeout(tryAgain, retryMs).unref();
  let closed = false;

  async function tryAgain(): Promise<void> {
    try {
      await repay();
    } catch (error) {
      if (!hasCode(error, 'unavailable') || performance.now() >= endsAt) refusal = { error };
      else if (!closed) timer = setTimeout(tryAgain, retryMs).unref();
    }
  }

  return {
    throwIfUsedUp() {
      if (refusal) throw refusal.error;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
