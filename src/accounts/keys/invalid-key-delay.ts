import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Counters } from '../../storage/counters.ts';
import { plainAddress } from './allow-list.ts';

type Options = {
  counters: Counters;
  /** How many answers may be held back at once; past it they go out at once, rather than pile up. */
  maxWaiting?: number;
  wait?(milliseconds: number): Promise<unknown>;
};

const freeTries = 5;
const firstDelayMs = 100;
const longestDelayMs = 2000;
const forgetAfterMs = 60_000;

/** Waits before a wrong key is answered: the longer, the more often its address has sent wrong keys. */
export function createInvalidKeyDelay({ counters, maxWaiting = 500, wait = delay }: Options) {
  let waiting = 0;
  return async (address: string): Promise<void> => {
    const failures = await counters.countUp(`invalid-key ${sourceOf(address)}`, forgetAfterMs);
    if (failures <= freeTries || waiting >= maxWaiting) return;
    waiting += 1;
    try {
      await wait(Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - freeTries - 1)));
    } finally {
      waiting -= 1;
    }
  };
}

/** One customer has a whole /64 of IPv6, and could send each request from another address of it. */
export function sourceOf(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = [], tail] = plain.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = tail ? Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0') : [];
  const groups = [...head, ...zeros, ...(tail ?? [])].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16)).join(':');
}
