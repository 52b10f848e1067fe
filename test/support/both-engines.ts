import { after, describe } from 'node:test';
import { type PostgresServer, startPostgres } from '../../bench/servers/postgres.ts';
import { type TemporaryDatabase, temporarySqlite } from '../../bench/servers/temporary-database.ts';

export type CreateDatabase = () => Promise<TemporaryDatabase>;

type Suites = Record<string, (create: CreateDatabase) => void>;

/** Runs suites over SQLite and over PostgreSQL; where there is no PostgreSQL, it says so loudly. */
export async function onBothEngines(suites: Suites): Promise<void> {
  for (const [name, suite] of Object.entries(suites))
    describe(`${name} on SQLite`, () => suite(temporarySqlite));

  const server: PostgresServer | string = await startPostgres();
  if (typeof server === 'string') {
    const names = Object.keys(suites).join(', ');
    console.error(`\n*** NOT TESTED on PostgreSQL: ${names}. ${server}\n`);
    describe(`${names} on PostgreSQL`, { skip: server }, () => {});
    return;
  }
  describe('with a PostgreSQL server', () => {
    after(() => server[Symbol.asyncDispose]());
    for (const [name, suite] of Object.entries(suites))
      describe(`${name} on PostgreSQL`, () => suite(() => server.createDatabase()));
  });
}
