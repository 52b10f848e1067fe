import { ServiceError } from '../../errors/service-error.ts';
import type { Counters } from '../../storage/counters.ts';
import type { Credential } from '../admission.ts';
import { keyInHeader } from './api-key.ts';
import { createInvalidKeyDelay } from './invalid-key-delay.ts';
import type { KeyLookup, KnownKey } from './key-lookup.ts';
import type { StreamTokens } from './stream-tokens.ts';

export type Authenticated = { key: KnownKey; tokenNote?: string | undefined };

/** Finds the key of a request, or of its token. Throws invalid_api_key, after a delay for those who try many. */
export type Authenticate = (credential: Credential) => Promise<Authenticated>;

type Options = { keys: KeyLookup; tokens: StreamTokens; counters: Counters };

export function createAuthentication({ keys, tokens, counters }: Options): Authenticate {
  const delayInvalidKey = createInvalidKeyDelay({ counters });

  const find = async ({ streamToken, authorization }: Credential): Promise<Authenticated | undefined> => {
    if (streamToken !== undefined) {
      const token = await tokens.redeem(streamToken);
      const key = token && (await keys.findByHash(token.keyHash));
      return key && { key, tokenNote: token.note };
    }
    const text = keyInHeader(authorization);
    const key = text === undefined ? undefined : await keys.find(text);
    return key && { key };
  };

  return async (credential) => {
    const found = await find(credential);
    if (found?.key.admitted.environment === credential.environment) return found;
    await delayInvalidKey(credential.address);
    throw new ServiceError('invalid_api_key');
  };
}
