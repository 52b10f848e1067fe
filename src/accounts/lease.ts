import { hasCode, ServiceError } from '../errors/service-error.ts';
import type { Counters } from '../storage/counters.ts';
import type { Admitted, Lease } from './admission.ts';
import { type Signature, signatureLifetimeMs } from './keys/signature.ts';
import { type Period, periodAt, resetDateOf } from './ledger/calendar.ts';
import type { Ledger } from './ledger/ledger.ts';
import { persistently } from './ledger/persistently.ts';

/** How much is reserved at a time, so that a file does not cost a write for every moment decoded. */
const stepMs = 30_000;

export type LeaseParts = {
  requestId: string;
  admitted: Admitted;
  quotaMs: number | undefined;
  /** What the body must still be checked against; undefined when the key does not sign, or when it has been checked. */
  unverified: Signature | undefined;
  signed: boolean;
  /** Gives the function that ends this. */
  abortWhenRevoked(controller: AbortController): () => void;
  returnPermit(): Promise<void>;
  issueToken: Lease['issueToken'];
  tokenNote: string | undefined;
  ledger: Ledger;
  counters: Counters;
  clock: { now(): number };
};

export function createLease(parts: LeaseParts): Lease {
  const { requestId, admitted, quotaMs, signed, ledger, counters, clock } = parts;
  const keyId = admitted.key.id;
  let { unverified } = parts;
  let state: 'open' | 'settled' | 'closed' = 'open';
  let period: Period | undefined;
  let reservedMs = 0;
  let mayHold = false;
  let chargedMs = 0;
  /** A charge that may or may not have been made. */
  let uncertainMs: number | undefined;
  let revocation: { controller: AbortController; stop(): void } | undefined;
  // The ledger is changed in the order in which the changes were asked for.
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const request = () => {
    period ??= periodAt(clock.now());
    return { requestId, keyId, quotaMs, period };
  };

  const reserveUpTo = async (totalMs: number) => {
    const missingMs = totalMs - reservedMs;
    if (missingMs <= 0 || quotaMs === undefined) return;
    // Near the end of the quota, what is needed may still fit although a whole step does not.
    for (const milliseconds of new Set([Math.ceil(missingMs / stepMs) * stepMs, missingMs])) {
      mayHold = true;
      if (!(await ledger.reserve(request(), milliseconds))) continue;
      reservedMs += milliseconds;
      return;
    }
    throw quotaExceeded(clock.now());
  };

  const chargeUpTo = async (totalMs: number, rest: 'kept' | 'given back') => {
    if (unverified) throw new Error('A signed request was settled before its body was verified.');
    if (totalMs < chargedMs) throw new RangeError('What has been charged is not taken back.');
    // Asked for again as it was, it is made if it was not.
    if (uncertainMs !== undefined) await charge(uncertainMs, 'kept');
    await charge(totalMs, rest);
  };
  const charge = async (totalMs: number, rest: 'kept' | 'given back') => {
    if (rest === 'kept' && totalMs === chargedMs) return;
    uncertainMs = totalMs;
    const charged = await ledger.settle(request(), totalMs, { chargedMs, rest });
    uncertainMs = undefined;
    if (!charged) throw quotaExceeded(clock.now());
    chargedMs = totalMs;
  };

  const giveBackRest = async () => {
    try {
      if (uncertainMs !== undefined && chargedMs === 0) await ledger.retract(request());
      else if (mayHold) await ledger.release(requestId);
    } catch (error) {
      // The ledger does it later.
      if (!hasCode(error, 'unavailable')) throw error;
    }
  };

  return {
    admitted,
    signed,
    async issueToken(note) {
      if (unverified) throw new Error('A signed request was given a token before its body was verified.');
      return parts.issueToken(note);
    },
    ...(parts.tokenNote !== undefined && { tokenNote: parts.tokenNote }),
    get revoked() {
      if (!revocation) {
        const controller = new AbortController();
        const stop = state === 'closed' ? () => {} : parts.abortWhenRevoked(controller);
        revocation = { controller, stop };
      }
      return revocation.controller.signal;
    },
    async verifyBody(sha256) {
      if (!unverified) return;
      const signature = unverified;
      signature.verify(sha256);
      await refuseReplay(counters, keyId, signature);
      unverified = undefined;
    },
    async reserve(totalSeconds) {
      const totalMs = milliseconds(totalSeconds);
      await inOrder(async () => {
        if (state !== 'open') throw new Error('Nothing can be reserved on a lease that has ended.');
        await reserveUpTo(totalMs);
      });
    },
    async settleSoFar(totalSeconds) {
      const totalMs = milliseconds(totalSeconds);
      await inOrder(async () => {
        if (state !== 'open') throw new Error('Nothing more can be charged on a lease that has ended.');
        await chargeUpTo(totalMs, 'kept');
      });
    },
    async settle(seconds) {
      const chargeMs = milliseconds(seconds);
      await inOrder(async () => {
        if (state === 'settled') return;
        if (state === 'closed') throw new Error('A lease that was closed cannot be settled.');
        await persistently(() => chargeUpTo(chargeMs, 'given back'));
        state = 'settled';
      });
    },
    async owe(seconds) {
      const chargeMs = milliseconds(seconds);
      await inOrder(async () => {
        if (state !== 'open') throw new Error('Nothing more can be charged on a lease that has ended.');
        state = 'settled';
        ledger.doLater(async () => {
          try {
            await chargeUpTo(chargeMs, 'given back');
          } catch (error) {
            if (!hasCode(error, 'quota_exceeded')) throw error;
            // What was used past the quota while nobody could count is not paid; what was reserved is.
            await chargeUpTo(Math.max(chargedMs, Math.min(chargeMs, reservedMs)), 'given back');
          }
        });
      });
    },
    async close() {
      await inOrder(async () => {
        if (state === 'closed') return;
        const settled = state === 'settled';
        state = 'closed';
        revocation?.stop();
        try {
          await parts.returnPermit();
        } finally {
          if (!settled) await giveBackRest();
        }
      });
    },
  };
}

/** A signature is taken once. */
export async function refuseReplay(counters: Counters, keyId: string, { hex }: Signature): Promise<void> {
  const first = await counters.noteOnce(`signature ${keyId} ${hex}`, signatureLifetimeMs);
  if (!first) throw new ServiceError('invalid_signature');
}

export function quotaExceeded(nowMs: number): ServiceError {
  const retryAfterSeconds = Math.ceil((resetDateOf(nowMs).getTime() - nowMs) / 1000);
  return new ServiceError('quota_exceeded', { retryAfterSeconds });
}

function milliseconds(seconds: number): number {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError(`${seconds} is not an amount of audio.`);
  return Math.round(seconds * 1000);
}
