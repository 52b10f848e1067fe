import type { Database } from '../../storage/database.ts';
import { createVersionedCache } from '../../storage/versioned-cache.ts';

/** What a key has used of a month, and what its running requests hold. */
export type Balance = { usedMs: number; reservedMs: number };

export type ReadBalance = (keyId: string, month: string) => Promise<Balance>;

export function createBalanceReader({ database }: { database: Database }): ReadBalance {
  const cache = createVersionedCache<Balance>({ database });
  const load = async (keyId: string, month: string): Promise<Balance> => {
    const row = await database.queries
      .selectFrom('balances')
      .select(['used_ms', 'reserved_ms'])
      .where('key_id', '=', keyId)
      .where('month', '=', month)
      .executeTakeFirst();
    return { usedMs: row?.used_ms ?? 0, reservedMs: row?.reserved_ms ?? 0 };
  };
  return async (keyId, month) => (await cache.get(`${keyId} ${month}`, () => load(keyId, month)))!;
}
