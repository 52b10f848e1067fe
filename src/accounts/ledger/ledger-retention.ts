import type { Database } from '../../storage/database.ts';
import { periodAt } from './calendar.ts';

type Options = {
  database: Database;
  /** How many days entries are kept; 0 is for ever. */
  keepDays: number;
  clock?: { now(): number };
};

/** So few at once that no request waits long for them. */
const atOnce = 500;
const dayMs = 24 * 3_600_000;

/**
 * Deletes entries that are older than wanted. Totals do not change: what a key used of a month and on a day is kept by itself.
 * An entry also stops a request from being charged twice, but no request lasts as long as a day. Gives how many were deleted.
 */
export async function pruneLedger({ database, keepDays, clock = Date }: Options): Promise<number> {
  if (keepDays === 0) return 0;
  const { day: oldest } = periodAt(clock.now() - keepDays * dayMs);
  let deleted = 0;
  while (true) {
    const rows = await database.queries
      .deleteFrom('ledger_entries')
      .where('day', '<', oldest)
      .where(({ eb, selectFrom }) =>
        eb(
          'request_id',
          'in',
          selectFrom('ledger_entries').select('request_id').where('day', '<', oldest).limit(atOnce),
        ),
      )
      .returning('request_id')
      .execute();
    deleted += rows.length;
    if (rows.length === 0) return deleted;
  }
}
