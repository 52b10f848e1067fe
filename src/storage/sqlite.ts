import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import Libsql from 'libsql';
import type { Database } from './database.ts';
import { createLibsqlDialect } from './libsql-dialect.ts';
import type { Tables } from './tables.ts';

/** How long SQLite may block this thread for another process. The dialect waits longer, without blocking. */
const busyMilliseconds = 20;
const openingMilliseconds = 5000;

export function connectSqlite(path: string): Omit<Database, 'ping'> {
  createPrivately(path);
  const file = open(path);
  let ownWrites = 0;
  const dataVersion = file.prepare('PRAGMA data_version').raw();
  const queries = new Kysely<Tables>({
    dialect: createLibsqlDialect({
      database: file,
      onWrite: () => {
        ownWrites += 1;
      },
    }),
  });
  return {
    engine: 'sqlite',
    queries,
    relaxedTransaction: (work) =>
      queries.connection().execute(async (connection) => {
        await sql`PRAGMA synchronous = NORMAL`.execute(connection);
        try {
          return await connection.transaction().execute(work);
        } finally {
          await sql`PRAGMA synchronous = FULL`.execute(connection);
        }
      }),
    // SQLite counts only the changes of other connections. Both numbers only grow, and so does their sum.
    version: () => (dataVersion.get() as [number])[0] + ownWrites,
    async [Symbol.asyncDispose]() {
      await queries.destroy();
      if (file.open) file.close();
    },
  };
}

/** The file holds signing secrets. SQLite gives the files beside it the same permissions. */
function createPrivately(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

function open(path: string): Libsql.Database {
  try {
    const file = new Libsql(path, { timeout: openingMilliseconds });
    file.pragma('journal_mode = WAL');
    // A commit waits until it is on the disk, so that a power failure does not undo a charge.
    file.pragma('synchronous = FULL');
    file.pragma('foreign_keys = ON');
    file.pragma(`busy_timeout = ${busyMilliseconds}`);
    return file;
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

function cannotOpen(path: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `The database ${path} cannot be opened (${reason}). Check SIANN_DATA and SIANN_DATABASE, and that the folder may be written.`,
    { cause },
  );
}
