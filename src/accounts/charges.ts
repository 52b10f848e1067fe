import { hasCode, ServiceError } from '../errors/service-error.ts';
import { type Period, periodAt, resetDateOf } from './ledger/calendar.ts';
import type { Ledger } from './ledger/ledger.ts';
import { persistently } from './ledger/persistently.ts';

/** What one request reserves and is charged, in milliseconds of audio. Calls must not overlap. */
export type Charges = {
  /** Makes sure that at least so much is reserved; throws quota_exceeded. */
  reserve(totalMs: number): Promise<void>;
  /** Charges what was used so far and keeps the rest of what is reserved. */
  settleSoFar(totalMs: number): Promise<void>;
  /** Charges what was used in all, and gives back the rest; throws quota_exceeded. */
  settle(totalMs: number): Promise<void>;
  /** The same for text that was given out already: charges as far as the quota reaches, and gives what was charged. */
  settleUpToQuota(totalMs: number): Promise<number>;
  /** The same, as soon as the database is back. */
  owe(totalMs: number): void;
  /** Gives back whatever was reserved and not settled. */
  close(): Promise<void>;
};

type Options = {
  requestId: string;
  keyId: string;
  /** Of the plan that is in force. Undefined is without limit: then nothing is reserved. */
  quotaMs(): number | undefined;
  ledger: Ledger;
  clock: { now(): number };
};

/** Audio is reserved in steps of this length, so that decoding a file does not cost a write for every moment. */
const stepMs = 30_000;

export function createCharges({ requestId, keyId, quotaMs, ledger, clock }: Options): Charges {
  let state: 'open' | 'settled' | 'closed' = 'open';
  let period: Period | undefined;
  let reservedMs = 0;
  let mayHold = false;
  let chargedMs = 0;
  /** A charge that may or may not have been made. */
  let uncertainMs: number | undefined;

  const request = () => {
    period ??= periodAt(clock.now());
    return { requestId, keyId, quotaMs: quotaMs(), period };
  };
  const throwUnlessOpen = () => {
    if (state !== 'open') throw new Error(`Nothing can be reserved or charged on a lease that is ${state}.`);
  };
  const chargeUpTo = async (totalMs: number, rest: 'kept' | 'given back') => {
    if (totalMs < chargedMs) throw new RangeError('What has been charged is not taken back.');
    // The uncertain charge is asked for again as it was: the ledger makes it unless it was made.
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
  /** Audio that was used past the quota while the database was away is not charged, save what had been reserved. */
  const chargeUpToQuota = async (totalMs: number): Promise<number> => {
    try {
      await chargeUpTo(totalMs, 'given back');
    } catch (error) {
      if (!hasCode(error, 'quota_exceeded')) throw error;
      await chargeUpTo(Math.max(chargedMs, Math.min(totalMs, reservedMs)), 'given back');
    }
    return chargedMs;
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
    async reserve(totalMs) {
      throwUnlessOpen();
      // Under a plan without limit, nothing was reserved for what has been charged.
      const missingMs = totalMs - Math.max(reservedMs, chargedMs);
      if (missingMs <= 0 || quotaMs() === undefined) return;
      // Near the end of the quota, what is needed may still fit although a whole step does not.
      for (const milliseconds of new Set([Math.ceil(missingMs / stepMs) * stepMs, missingMs])) {
        mayHold = true;
        if (!(await ledger.reserve(request(), milliseconds))) continue;
        reservedMs = Math.max(reservedMs, chargedMs) + milliseconds;
        return;
      }
      throw quotaExceeded(clock.now());
    },
    async settleSoFar(totalMs) {
      throwUnlessOpen();
      await chargeUpTo(totalMs, 'kept');
    },
    async settle(totalMs) {
      if (state === 'settled') return;
      throwUnlessOpen();
      await persistently(() => chargeUpTo(totalMs, 'given back'));
      state = 'settled';
    },
    async settleUpToQuota(totalMs) {
      throwUnlessOpen();
      const charged = await persistently(() => chargeUpToQuota(totalMs));
      state = 'settled';
      return charged;
    },
    owe(totalMs) {
      throwUnlessOpen();
      state = 'settled';
      ledger.doLater(() => chargeUpToQuota(totalMs));
    },
    async close() {
      const isOpen = state === 'open';
      state = 'closed';
      if (isOpen) await giveBackRest();
    },
  };
}

export function quotaExceeded(nowMs: number): ServiceError {
  const retryAfterSeconds = Math.ceil((resetDateOf(nowMs).getTime() - nowMs) / 1000);
  return new ServiceError('quota_exceeded', { retryAfterSeconds });
}
