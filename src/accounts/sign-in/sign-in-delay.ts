import { setTimeout as delay } from 'node:timers/promises';
import { senderOf } from '../../addresses/client-address.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Counters } from '../../storage/counters.ts';
import { hashOf } from '../keys/api-key.ts';

type Options = { counters: Counters; wait?(milliseconds: number): Promise<unknown> };

const freeFailures = 4;
const firstDelayMs = 250;
const longestDelayMs = 4_000;
const maxFailures = 20;
const forgetAfterMs = 15 * 60_000;
/** Each try takes memory. When more of them run at once, the next is told to come back. */
const maxAtOnce = 8;

/**
 * Slows down those who guess. A try waits longer when more tries have failed lately for the same name or from the same
 * address. After many failures it is refused without a check, until the failures are forgotten.
 */
export function createSignInDelay({ counters, wait = delay }: Options) {
  let atOnce = 0;

  /** `isRight` is called when the wait is over. */
  return async (
    who: { name: string; address: string },
    isRight: () => Promise<boolean>,
  ): Promise<boolean> => {
    if (atOnce >= maxAtOnce) throw tooMany(1);
    atOnce += 1;
    try {
      // A name is hashed, since whoever guesses may send one of any length.
      const names = [`sign-in name ${hashOf(who.name)}`, `sign-in address ${senderOf(who.address)}`];
      const failed = Math.max(...(await Promise.all(names.map(counters.readCount))));
      if (failed >= maxFailures) throw tooMany(forgetAfterMs / 1000);
      if (failed > freeFailures)
        await wait(Math.min(longestDelayMs, firstDelayMs * 2 ** (failed - freeFailures - 1)));
      const right = await isRight();
      if (right) await counters.forgetCount(names[0]!);
      else await Promise.all(names.map((name) => counters.countUp(name, forgetAfterMs)));
      return right;
    } finally {
      atOnce -= 1;
    }
  };
}

function tooMany(retryAfterSeconds: number): ServiceError {
  const message = 'There were too many attempts to sign in. Wait a quarter of an hour and try again.';
  return new ServiceError('rate_limit_exceeded', { message, retryAfterSeconds });
}
