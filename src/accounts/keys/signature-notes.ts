import { sql } from 'kysely';
import type { Counters } from '../../storage/counters.ts';
import type { Database } from '../../storage/database.ts';

/** Remembers which signatures were used. */
export type SignatureNotes = Pick<Counters, 'noteOnce'>;

type Options = { database: Database; clock?: { now(): number } };

const tidyEveryMs = 60_000;

/**
 * Notes in the database, for a service whose counters are in memory: after a restart, signatures of the last minutes would
 * be taken a second time.
 */
export function createSignatureNotes({ database, clock = Date }: Options): SignatureNotes {
  let tidiedAtMs = 0;
  return {
    noteOnce: (name, forgetAfterMs) =>
      database.relaxedTransaction(async (transaction) => {
        const now = clock.now();
        if (Math.abs(now - tidiedAtMs) >= tidyEveryMs) {
          tidiedAtMs = now;
          await transaction.deleteFrom('signature_notes').where('forget_at_ms', '<=', now).execute();
        }
        const { rows } = await sql`
          INSERT INTO signature_notes (name, forget_at_ms)
          VALUES (${name}, CAST(${now + forgetAfterMs} AS BIGINT))
          ON CONFLICT (name) DO UPDATE SET forget_at_ms = excluded.forget_at_ms
          WHERE signature_notes.forget_at_ms <= CAST(${now} AS BIGINT)
          RETURNING name`.execute(transaction);
        return rows.length > 0;
      }),
  };
}
