import type { Database } from '../../storage/database.ts';
import { hashOf, randomText } from '../keys/api-key.ts';

/** The browsers in which a user has signed in. Each holds a secret, of which only the hash is kept. */
export interface KnownDevices {
  /** The hash of the secret, if it is one of this user. */
  find(userId: string, secret: string | undefined): Promise<string | undefined>;
  /** Knows the browser from now on. Gives the secret that it shall hold, which is a new one if the old one is not known. */
  remember(userId: string, secret: string | undefined): Promise<string>;
  forgetAll(userId: string): Promise<void>;
}

export const deviceLifetimeMs = 180 * 24 * 3600 * 1000;
const secretLength = 43;

export function createKnownDevices(options: { database: Database; clock: { now(): number } }): KnownDevices {
  const { queries } = options.database;
  const { clock } = options;

  const find = async (userId: string, secret: string | undefined): Promise<string | undefined> => {
    if (secret === undefined) return undefined;
    const row = await queries
      .selectFrom('known_devices')
      .select('hash')
      .where('hash', '=', hashOf(secret))
      .where('user_id', '=', userId)
      .where('expires_at_ms', '>', clock.now())
      .executeTakeFirst();
    return row?.hash;
  };

  return {
    find,
    async remember(userId, secret) {
      const expires_at_ms = clock.now() + deviceLifetimeMs;
      const known = await find(userId, secret);
      if (secret !== undefined && known !== undefined) {
        await queries.updateTable('known_devices').set({ expires_at_ms }).where('hash', '=', known).execute();
        return secret;
      }
      const fresh = randomText(secretLength);
      await queries.deleteFrom('known_devices').where('expires_at_ms', '<=', clock.now()).execute();
      await queries
        .insertInto('known_devices')
        .values({ hash: hashOf(fresh), user_id: userId, expires_at_ms })
        .execute();
      return fresh;
    },
    async forgetAll(userId) {
      await queries.deleteFrom('known_devices').where('user_id', '=', userId).execute();
    },
  };
}
