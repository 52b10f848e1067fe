import type { Counters } from '../../storage/counters.ts';
import { createSeal } from '../../storage/seal.ts';
import type { StreamToken } from '../admission.ts';
import { hashOf, randomText } from './api-key.ts';

type TokenContent = { keyHash: string; note?: string };

export type StreamTokens = {
  issue(keyHash: string, note?: string): Promise<StreamToken>;
  /** Gives the hash of the key and the note, once. */
  redeem(token: string): Promise<TokenContent | undefined>;
};

const lifetimeMs = 60_000;
const secretLength = 32;
const about = 'stream token';
const form = /^ek_[A-Za-z0-9]{32}$/;

/**
 * As with keys, only the hash of a token is kept, and only until the token expires. What it stands for is sealed with the token
 * itself: whoever reads the counters learns no hash of a key, with which more tokens could be made up.
 */
export function createStreamTokens(options: { counters: Counters; clock: { now(): number } }): StreamTokens {
  const { counters, clock } = options;
  return {
    async issue(keyHash, note) {
      const token = `ek_${randomText(secretLength)}`;
      const expiresAt = new Date(clock.now() + lifetimeMs);
      const content: TokenContent = { keyHash, ...(note !== undefined && { note }) };
      const sealed = createSeal(token).close(JSON.stringify(content), about);
      await counters.putOneTimeValue(nameOf(token), sealed, lifetimeMs);
      return { token, expiresAt };
    },
    async redeem(token) {
      const sealed = form.test(token) ? await counters.takeOneTimeValue(nameOf(token)) : undefined;
      const content = sealed === undefined ? undefined : createSeal(token).open(sealed, about);
      return content === undefined ? undefined : JSON.parse(content);
    },
  };
}

function nameOf(token: string): string {
  return `${about} ${hashOf(token)}`;
}
