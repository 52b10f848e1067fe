import { type Kysely, sql } from 'kysely';
import { migrate } from './migrate.ts';
import type { Tables } from './tables.ts';

export type Database = AsyncDisposable & {
  readonly engine: 'sqlite' | 'postgresql';
  readonly queries: Kysely<Tables>;
  /** A transaction that does not wait for the disk: a power failure may undo it, `kill -9` may not. */
  hurried<Result>(work: (transaction: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * Changes whenever anybody, in this process or another, has changed anything; what was read at a version is true as
   * long as it stays. Undefined where finding out would cost as much as reading again.
   */
  version(): number | undefined;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
};

/** Opens the database, making it where there is none, with its tables up to date. `url` is `postgres://…` or a file. */
export async function openDatabase({ url }: { url: string }): Promise<Database> {
  // Tables may be large, and others may be at it already.
  const patient = await connect(url, { patient: true });
  try {
    await migrate(patient);
    if (patient.engine === 'sqlite') return patient;
  } catch (error) {
    await patient[Symbol.asyncDispose]();
    throw error;
  }
  await patient[Symbol.asyncDispose]();
  return open(url);
}

/** The database as it is, without bringing its tables up to date; rejects when it is not there. */
export async function connect(url: string, options: { patient?: boolean } = {}): Promise<Database> {
  const database = await open(url, options);
  return database.engine === 'postgresql' ? reached(database) : database;
}

async function open(url: string, options: { patient?: boolean } = {}): Promise<Database> {
  // Only the engine in use is loaded, for the sake of quick commands.
  if (/^postgres(ql)?:/i.test(url)) {
    const { connectPostgresql } = await import('./postgresql.ts');
    return withPing(connectPostgresql(url, options));
  }
  const { connectSqlite } = await import('./sqlite.ts');
  return withPing(connectSqlite(url));
}

function withPing(database: Omit<Database, 'ping'>): Database {
  return { ...database, ping: async () => void (await sql`SELECT 1`.execute(database.queries)) };
}

async function reached(database: Database): Promise<Database> {
  try {
    await database.ping();
    return database;
  } catch (cause) {
    await database[Symbol.asyncDispose]();
    // Several addresses that were all tried in vain make an error without words of its own.
    const { message, code } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
    throw new Error(
      `The database cannot be reached (${message || code}). Check SIANN_DATABASE, and that PostgreSQL is running.`,
      { cause },
    );
  }
}
