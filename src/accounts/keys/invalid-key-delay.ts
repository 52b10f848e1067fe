import { setTimeout as delay } from 'node:timers/promises';
import { senderOf } from '../../addresses/client-address.ts';
import type { Counters } from '../../storage/counters.ts';

type Options = {
  counters: Counters;
  /** How many answers may be held back at the same time. Above it, answers are not delayed. */
  maxWaiting?: number;
  wait?(milliseconds: number): Promise<unknown>;
};

const freeTries = 5;
const firstDelayMs = 100;
const longestDelayMs = 2000;
const forgetAfterMs = 60_000;

/** Waits before a wrong key is answered. The wait is longer when the same sender has sent more wrong keys. */
export function createInvalidKeyDelay({ counters, maxWaiting = 500, wait = delay }: Options) {
  let waiting = 0;
  return async (address: string): Promise<void> => {
    const failures = await counters.countUp(`invalid-key ${senderOf(address)}`, forgetAfterMs);
    if (failures <= freeTries || waiting >= maxWaiting) return;
    waiting += 1;
    try {
      await wait(Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - freeTries - 1)));
    } finally {
      waiting -= 1;
    }
  };
}
