import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Database } from './database.ts';
import { createPostgresPool } from './postgresql-pool.ts';
import type { Tables } from './tables.ts';

export function connectPostgresql(url: string, options: { patient?: boolean } = {}): Omit<Database, 'ping'> {
  const pool = createPostgresPool({ url, ...options });
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    engine: 'postgresql',
    queries,
    relaxedTransaction: (work) =>
      queries.transaction().execute(async (transaction) => {
        await sql`SET LOCAL synchronous_commit TO off`.execute(transaction);
        return work(transaction);
      }),
    version: () => undefined,
    [Symbol.asyncDispose]: () => queries.destroy(),
  };
}
