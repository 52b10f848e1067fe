import type { Database } from '../../storage/database.ts';

type Options = { database: Database; clock: { now(): number }; onError(error: unknown): void };

/** Exact enough for people, and rare enough that requests do not cost a write each. */
const everyMs = 60_000;
const maxKeys = 10_000;

/** Keeps when a key was last used. Nobody waits for it: a request is not refused because this cannot be written. */
export function createLastUse({ database, clock, onError }: Options): (keyId: string) => void {
  const noted = new Map<string, number>();

  const write = (keyId: string, now: number) =>
    database.relaxedTransaction(async (transaction) => {
      await transaction
        .updateTable('api_keys')
        .set({ last_used_at: new Date(now).toISOString() })
        .where('id', '=', keyId)
        .execute();
    });

  return (keyId) => {
    const now = clock.now();
    const last = noted.get(keyId);
    if (last !== undefined && Math.abs(now - last) < everyMs) return;
    if (noted.size >= maxKeys) noted.clear();
    noted.set(keyId, now);
    write(keyId, now).catch((error) => {
      noted.delete(keyId);
      onError(error);
    });
  };
}
