import type { Database } from '../../storage/database.ts';

/** The day on which each key was last charged for audio, as YYYY-MM-DD (UTC), by the id of the key. */
export async function readLastUsed({ queries }: Database): Promise<Map<string, string>> {
  const rows = await queries
    .selectFrom('daily_usage')
    .select(({ fn }) => ['key_id', fn.max('day').as('day')])
    .groupBy('key_id')
    .execute();
  return new Map(rows.map(({ key_id, day }) => [key_id, day]));
}
