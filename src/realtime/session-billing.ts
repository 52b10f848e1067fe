import { ServiceError } from '../errors.ts';

/** Who pays for the audio: a `Lease` is one. */
export type StreamAccount = {
  /** Makes sure that at least so much is reserved; throws quota_exceeded. */
  reserve(totalSeconds: number): Promise<void>;
  /** Charges what was used so far and leaves the rest reserved. */
  settleSoFar(totalSeconds: number): Promise<void>;
  /** Charges what was used in all, once and for all. */
  settle(totalSeconds: number): Promise<void>;
};

export type SessionBilling = {
  /** Pays for audio that is about to be heard; throws quota_exceeded, and then it must not be heard. */
  pay(seconds: number): Promise<void>;
  settle(): Promise<void>;
  /** Heard and paid for. */
  readonly paidSeconds: number;
  readonly billedSeconds: number;
};

type Options = {
  account: StreamAccount;
  stepSeconds: number;
  /** Only a part of the next step is left. */
  onQuotaEndsSoon(): void;
};

/** Reserves ahead step by step and charges behind: a crash loses at most one step, and nothing is charged twice. */
export function createSessionBilling({ account, stepSeconds, onQuotaEndsSoon }: Options): SessionBilling {
  let paidSeconds = 0;
  let billedSeconds = 0;
  let reservedSeconds = 0;
  let lastSteps = false;

  const reserve = async (neededSeconds: number) => {
    if (!lastSteps) {
      const ahead = Math.ceil(neededSeconds / stepSeconds) * stepSeconds;
      try {
        await account.reserve(ahead);
        reservedSeconds = ahead;
        return;
      } catch (error) {
        if (!isQuota(error)) throw error;
        lastSteps = true;
      }
    }
    await account.reserve(neededSeconds);
    reservedSeconds = neededSeconds;
  };

  return {
    async pay(seconds) {
      const total = paidSeconds + seconds;
      if (total > reservedSeconds) {
        if (paidSeconds - billedSeconds >= stepSeconds / 2) {
          await account.settleSoFar(paidSeconds);
          billedSeconds = paidSeconds;
        }
        const before = lastSteps;
        await reserve(total);
        if (lastSteps && !before) onQuotaEndsSoon();
      }
      paidSeconds = total;
    },
    async settle() {
      await account.settle(paidSeconds);
      billedSeconds = paidSeconds;
    },
    get paidSeconds() {
      return paidSeconds;
    },
    get billedSeconds() {
      return billedSeconds;
    },
  };
}

export function isQuota(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'quota_exceeded';
}
