import type { Counters } from '../storage/counters.ts';
import { hashOf, randomText } from './api-key.ts';

/** Stands in for a key where there is no header to put one in: in a browser's WebSocket. */
export type StreamToken = { token: string; expiresAt: Date };

export type StreamTokens = {
  issue(keyHash: string): Promise<StreamToken>;
  /** The hash of the key for which it stands; once. */
  redeem(token: string): Promise<string | undefined>;
};

const lifetimeMs = 60_000;
const secretLength = 32;
const form = /^ek_[A-Za-z0-9]{32}$/;

/** Only its hash is kept, as with keys, and only for as long as it is good for something. */
export function createStreamTokens(options: { counters: Counters; clock: { now(): number } }): StreamTokens {
  const { counters, clock } = options;
  return {
    async issue(keyHash) {
      const token = `ek_${randomText(secretLength)}`;
      const expiresAt = new Date(clock.now() + lifetimeMs);
      await counters.leaveParcel(nameOf(token), keyHash, lifetimeMs);
      return { token, expiresAt };
    },
    async redeem(token) {
      return form.test(token) ? counters.takeParcel(nameOf(token)) : undefined;
    },
  };
}

function nameOf(token: string): string {
  return `stream token ${hashOf(token)}`;
}
