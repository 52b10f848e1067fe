import { hasCode } from '../errors/service-error.ts';
import { openStreamCredit, type StreamCredit } from './stream-credit.ts';

/** Who pays for the audio: a `Lease` is one. */
export type StreamAccount = {
  /** Makes sure that at least so much is reserved; throws quota_exceeded. */
  reserve(totalSeconds: number): Promise<void>;
  /** Charges what was used so far and leaves the rest reserved. */
  settleSoFar(totalSeconds: number): Promise<void>;
  /** Charges what was used in all, once and for all, as far as the quota reaches. Gives the seconds that were charged. */
  settleUpToQuota(totalSeconds: number): Promise<number>;
  /** Charges later what cannot be charged now. */
  owe(totalSeconds: number): Promise<void>;
};

export type SessionBilling = {
  /** Pays for audio before it is recognised; throws quota_exceeded, and then it must not be recognised. */
  pay(seconds: number): Promise<void>;
  settle(): Promise<void>;
  /** Recognised and paid for. */
  readonly paidSeconds: number;
  readonly billedSeconds: number;
};

type Options = {
  account: StreamAccount;
  stepSeconds: number;
  creditSeconds: number;
  /** Only a part of the next step is left. */
  onQuotaEndsSoon(): void;
};

/**
 * Reserves audio one step ahead, and charges it one step behind. So a crash loses at most one step, and nothing is charged
 * twice. While the database is away, the stream goes on on credit.
 */
export function createSessionBilling(options: Options): SessionBilling {
  const { account, stepSeconds, creditSeconds, onQuotaEndsSoon } = options;
  let paidSeconds = 0;
  let billedSeconds = 0;
  let reservedSeconds = 0;
  let lastSteps = false;
  let credit: StreamCredit | undefined;

  const reserve = async (neededSeconds: number) => {
    if (!lastSteps) {
      const ahead = Math.ceil(neededSeconds / stepSeconds) * stepSeconds;
      try {
        await account.reserve(ahead);
        reservedSeconds = ahead;
        return;
      } catch (error) {
        if (!hasCode(error, 'quota_exceeded')) throw error;
        lastSteps = true;
      }
    }
    await account.reserve(neededSeconds);
    reservedSeconds = neededSeconds;
  };
  const takeStep = async (neededSeconds: number) => {
    const usedSeconds = paidSeconds;
    if (usedSeconds - billedSeconds >= stepSeconds / 2) {
      await account.settleSoFar(usedSeconds);
      billedSeconds = usedSeconds;
    }
    const before = lastSteps;
    await reserve(neededSeconds);
    if (lastSteps && !before) onQuotaEndsSoon();
  };
  const openCredit = () =>
    openStreamCredit({
      seconds: creditSeconds,
      repay: async () => {
        await takeStep(paidSeconds);
        credit = undefined;
      },
    });

  return {
    async pay(seconds) {
      const total = paidSeconds + seconds;
      if (total > reservedSeconds && !credit) {
        try {
          await takeStep(total);
        } catch (error) {
          if (!hasCode(error, 'unavailable')) throw error;
          credit = openCredit();
        }
      }
      credit?.throwIfUsedUp();
      paidSeconds = total;
    },
    async settle() {
      credit?.close();
      try {
        billedSeconds = await account.settleUpToQuota(paidSeconds);
      } catch (error) {
        if (!hasCode(error, 'unavailable')) throw error;
        await account.owe(paidSeconds);
        billedSeconds = paidSeconds;
      }
    },
    get paidSeconds() {
      return paidSeconds;
    },
    get billedSeconds() {
      return billedSeconds;
    },
  };
}
