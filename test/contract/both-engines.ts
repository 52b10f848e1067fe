import { after, describe } from 'node:test';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type TemporaryDatabase, temporarySqlite } from '../support/temporary-database.ts';

export type CreateDatabase = () => Promise<TemporaryDatabase>;

/** Runs one suite over SQLite and over PostgreSQL; where there is no PostgreSQL, it says so in its place. */
export async function onBothEngines(name: string, suite: (create: CreateDatabase) => void): Promise<void> {
  describe(`${name}, on SQLite`, () => suite(temporarySqlite));

  const server: PostgresServer | string = await startPostgres();
  if (typeof server === 'string') {
    console.error(`\n*** NOT TESTED: ${name}, on PostgreSQL. ${server}\n`);
    describe(`${name}, on PostgreSQL`, { skip: server }, () => {});
    return;
  }
  describe(`${name}, on PostgreSQL`, () => {
    after(() => server[Symbol.asyncDispose]());
    suite(() => server.createDatabase());
  });
}
