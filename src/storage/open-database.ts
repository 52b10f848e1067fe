import { sql } from 'kysely';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';

/** Opens the database, making it where there is none, with its tables up to date. `url` is `postgres://…` or a file. */
export async function openDatabase({ url }: { url: string }): Promise<Database> {
  // Migrations of large tables take long, and another process may be running them already.
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
  // Only the engine in use is loaded, so that commands start quickly.
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
    // When several addresses were tried in vain, the error has no message.
    const { message, code } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException;
    throw new Error(
      `The database cannot be reached (${message || code}). Check SIANN_DATABASE, and that PostgreSQL is running.`,
      { cause },
    );
  }
}
