import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { sourceOf } from './invalid-key-delay.ts';

type Options = { clock: { now(): number }; wait?(milliseconds: number): Promise<unknown> };

const freeFailures = 4;
const firstDelayMs = 250;
const longestDelayMs = 4_000;
const maxFailures = 20;
const forgetAfterMs = 15 * 60_000;
/** Each try takes memory; more of them at once are told to come back. */
const maxAtOnce = 8;
const maxNames = 10_000;

/**
 * Slows down those who guess: a try waits the longer, the more have failed lately for the same name or from the same
 * address, and after many of them it is refused without looking. Nobody is kept out for longer than it takes to forget.
 */
export function createSignInDelay({ clock, wait = delay }: Options) {
  const failures = new Map<string, { count: number; forgetAtMs: number }>();
  let atOnce = 0;

  const failuresOf = (name: string): number => {
    const known = failures.get(name);
    return known && known.forgetAtMs > clock.now() ? known.count : 0;
  };
  const fail = (name: string): void => {
    const count = failuresOf(name) + 1;
    failures.delete(name);
    failures.set(name, { count, forgetAtMs: clock.now() + forgetAfterMs });
    if (failures.size > maxNames) failures.delete(failures.keys().next().value!);
  };

  /** `isRight` is asked once the wait is over. */
  return async (
    who: { name: string; address: string },
    isRight: () => Promise<boolean>,
  ): Promise<boolean> => {
    const names = [`name ${who.name}`, `address ${sourceOf(who.address)}`];
    const failed = Math.max(...names.map(failuresOf));
    if (failed >= maxFailures || atOnce >= maxAtOnce)
      throw new ServiceError('rate_limit_exceeded', {
        message: 'There were too many attempts to sign in. Wait a quarter of an hour and try again.',
        retryAfterSeconds: failed >= maxFailures ? forgetAfterMs / 1000 : 1,
      });
    atOnce += 1;
    try {
      if (failed > freeFailures)
        await wait(Math.min(longestDelayMs, firstDelayMs * 2 ** (failed - freeFailures - 1)));
      const right = await isRight();
      if (right) failures.delete(names[0]!);
      else names.forEach(fail);
      return right;
    } finally {
      atOnce -= 1;
    }
  };
}
