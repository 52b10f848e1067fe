import { type Kysely, sql } from 'kysely';
import { migrations as allMigrations } from './migrations/all.ts';
import type { Tables } from './tables.ts';

type Options = {
  queries: Kysely<Tables>;
  engine: 'sqlite' | 'postgresql';
  migrations?: readonly (readonly string[])[];
};

/** Any number, as long as it is always the same: processes that start at once wait for one another with this lock. */
const advisoryLock = 7_424_660_163;

/**
 * Brings the tables up to date. Any number of processes may do so at once: one works, the others wait and find it done.
 * A newer version may have added to the tables already. This version then uses them as they are, so that both can run side
 * by side during an upgrade, and the older one can come back.
 */
export async function migrate({ queries, engine, migrations = allMigrations }: Options): Promise<void> {
  // On SQLite a transaction holds the one write lock from its beginning.
  await queries.transaction().execute(async (transaction) => {
    if (engine === 'postgresql')
      await sql`SELECT pg_advisory_xact_lock(${advisoryLock})`.execute(transaction);
    await sql`CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)`.execute(
      transaction,
    );
    const { rows } = await sql<{ done: number | null }>`SELECT MAX(number) AS done FROM migrations`.execute(
      transaction,
    );
    const done = rows[0]?.done ?? 0;
    for (const [index, statements] of migrations.entries()) {
      const number = index + 1;
      if (number <= done) continue;
      for (const statement of statements) await sql.raw(statement).execute(transaction);
      const appliedAt = new Date().toISOString();
      await sql`INSERT INTO migrations (number, applied_at) VALUES (${number}, ${appliedAt})`.execute(
        transaction,
      );
    }
  });
}
