import { setTimeout as delay } from 'node:timers/promises';
import { senderOf } from '../../addresses/client-address.ts';
import { createTally } from '../../async/tally.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Counters } from '../../storage/counters.ts';
import { hashOf } from '../keys/api-key.ts';
import { createPlaces } from './places.ts';

type Options = { counters: Counters; wait?(milliseconds: number): Promise<unknown> };

export type SignInAttempt = {
  name: string;
  address: string;
  /** The hash of the browser's own secret, if this user has signed in from that browser before. */
  knownDevice?: string | undefined;
};

export interface SignInDelay {
  /** `isRight` is called when the wait is over. Throws rate_limit_exceeded. */
  attempt(who: SignInAttempt, isRight: () => Promise<boolean>): Promise<boolean>;
  /** Notes that an address has sent a link that there is not. Throws rate_limit_exceeded when it has sent many. */
  noteUnknownLink(address: string): Promise<void>;
  /** Work that hashes a password, for somebody who has shown that they may. */
  hashing<Result>(work: () => Promise<Result>): Promise<Result>;
}

const freeFailures = 4;
const firstDelayMs = 250;
const longestDelayMs = 4_000;
const maxFailures = 20;
const forgetAfterMs = 15 * 60_000;
/** How often a name that is being guessed may be tried from browsers that are not known, all of them together. */
const guessesPerSecond = 1;

/**
 * Slows down those who guess. A try waits longer when more tries have failed lately. After many failures for a name from one
 * address, that address is refused without a check, and nobody else is: whoever guesses cannot lock out the user. From many
 * addresses together, a name can be tried once a second. A browser in which the user has signed in before is counted by
 * itself, and has places of its own, so that no flood of guesses reaches it (OWASP, "device cookies").
 */
export function createSignInDelay({ counters, wait = delay }: Options): SignInDelay {
  // Each hash takes memory and one of the four threads that files and names of hosts need too.
  const places = createPlaces({ running: 2, waiting: 6 });
  const placesOfKnown = createPlaces({ running: 1, waiting: 7 });
  const placesOfShown = createPlaces({ running: 1, waiting: 7 });
  /** Tries that wait or are being checked, which may all turn out to be wrong. */
  const underWay = createTally();
  const counting = async <Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> => {
    names.forEach(underWay.add);
    try {
      return await work();
    } finally {
      names.forEach(underWay.remove);
    }
  };
  const slow = async (failed: number) => {
    if (failed > freeFailures)
      await wait(Math.min(longestDelayMs, firstDelayMs * 2 ** (failed - freeFailures - 1)));
  };

  const attemptFromKnown = async (device: string, failed: number, isRight: () => Promise<boolean>) => {
    await slow(failed);
    const right = await placesOfKnown.run(isRight);
    await (right ? counters.forgetCount(device) : counters.countUp(device, forgetAfterMs));
    return right;
  };
  const attemptFromUnknown = async ({ name, address }: SignInAttempt, isRight: () => Promise<boolean>) => {
    const sender = senderOf(address);
    // A name is hashed, since whoever guesses may send one of any length.
    const forName = `sign-in name ${hashOf(name)}`;
    const forBoth = `sign-in ${hashOf(`${sender} ${name}`)}`;
    const forAddress = `sign-in address ${sender}`;
    const names = [forBoth, forAddress, forName];
    const [both = 0, fromAddress = 0, byAnyone = 0] = await Promise.all(names.map(counters.readCount));
    const tries = Math.max(both + underWay.of(forBoth), fromAddress + underWay.of(forAddress));
    if (tries >= maxFailures) throw tooMany(forgetAfterMs / 1000);
    if (byAnyone >= maxFailures) {
      const waitMs = await counters.takeToken(`sign-in guesses ${hashOf(name)}`, guessesPerSecond);
      if (waitMs > 0) throw tooManyForName(waitMs / 1000);
    }
    return counting([forBoth, forAddress], async () => {
      await slow(Math.max(both, fromAddress, byAnyone));
      const right = await places.run(isRight);
      if (right) await Promise.all([forBoth, forName].map(counters.forgetCount));
      else await Promise.all(names.map((each) => counters.countUp(each, forgetAfterMs)));
      return right;
    });
  };

  return {
    async attempt(who, isRight) {
      if (who.knownDevice !== undefined) {
        const device = `sign-in device ${who.knownDevice}`;
        const failed = await counters.readCount(device);
        // A device from which somebody guesses is no longer treated better than others.
        if (failed < maxFailures) return attemptFromKnown(device, failed, isRight);
      }
      return attemptFromUnknown(who, isRight);
    },
    async noteUnknownLink(address) {
      const count = await counters.countUp(`setup address ${senderOf(address)}`, forgetAfterMs);
      if (count > maxFailures) throw tooMany(forgetAfterMs / 1000);
    },
    hashing: placesOfShown.run,
  };
}

function tooMany(retryAfterSeconds: number): ServiceError {
  const message = 'There were too many attempts to sign in. Wait a quarter of an hour and try again.';
  return new ServiceError('rate_limit_exceeded', { message, retryAfterSeconds });
}

function tooManyForName(retryAfterSeconds: number): ServiceError {
  const message =
    'Somebody is guessing the password of this name. Try again in a moment, use a browser in which you have signed in before, or make a link with: npx siann users link';
  return new ServiceError('rate_limit_exceeded', { message, retryAfterSeconds });
}
