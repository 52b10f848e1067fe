import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

const maxConnections = 10;
const connectMilliseconds = 5000;

export function connectPostgresql(url: string): Omit<Database, 'ping'> {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    connectionTimeoutMillis: connectMilliseconds,
    types: { getTypeParser: numbersAsNumbers as typeof pg.types.getTypeParser },
  });
  // A connection that breaks while idle is replaced when it is next needed, and fails there if it cannot be.
  pool.on('error', () => {});
  // One that breaks in use fails the query that uses it; unheard, it would end the process as well.
  pool.on('connect', (client) => void client.on('error', () => {}));
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    engine: 'postgresql',
    queries,
    hurried: (work) =>
      queries.transaction().execute(async (transaction) => {
        await sql`SET LOCAL synchronous_commit TO off`.execute(transaction);
        return work(transaction);
      }),
    version: () => undefined,
    [Symbol.asyncDispose]: () => queries.destroy(),
  };
}

/** Counts and milliseconds are far below 2^53; pg would give them as text. */
function numbersAsNumbers(type: number, format?: 'text' | 'binary') {
  const { INT8, NUMERIC } = pg.types.builtins;
  if (type === INT8 || type === NUMERIC) return Number;
  return pg.types.getTypeParser(type, format as 'text');
}
