import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type PostgresServer, startPostgres } from '../../bench/servers/postgres.ts';
import { openDatabase } from '../../src/storage/open-database.ts';

const server: PostgresServer | string = await startPostgres();

describe('PostgreSQL that goes away', { skip: typeof server === 'string' ? server : false }, () => {
  const postgres = server as PostgresServer;
  let url: string;
  before(async () => {
    url = (await postgres.createDatabase()).url;
  });
  after(() => postgres[Symbol.asyncDispose]());

  test('a server that is killed in the middle of a query fails that query, and nothing else', async () => {
    await using database = await openDatabase({ url });
    for (let death = 0; death < 3; death++) {
      const queries = Array.from({ length: 4 }, () => sql`SELECT pg_sleep(10)`.execute(database.queries));
      const transaction = database.queries.transaction().execute(async (within) => {
        await sql`SELECT 1`.execute(within);
        await new Promise((resolve) => setTimeout(resolve, 300));
        await sql`SELECT 1`.execute(within);
      });
      const ends = Promise.allSettled([...queries, transaction]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await postgres.kill();
      assert.ok((await ends).every(({ status }) => status === 'rejected'));
      await postgres.start();
      await database.ping();
    }
  });
});
