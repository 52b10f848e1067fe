import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { temporarySqlite } from '../../bench/servers/temporary-database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';

test('the file and those beside it are for their owner only', async () => {
  await using file = await temporarySqlite();
  await using database = await openDatabase(file);
  await database.ping();
  for (const path of [file.url, `${file.url}-wal`]) assert.equal(statSync(path).mode & 0o777, 0o600, path);
});

test('every commit reaches the disk, and references are kept', async () => {
  await using file = await temporarySqlite();
  await using database = await openDatabase(file);
  const pragma = async (name: string) =>
    Object.values(
      (await sql<Record<string, unknown>>`${sql.raw(`PRAGMA ${name}`)}`.execute(database.queries)).rows[0]!,
    )[0];
  assert.equal(await pragma('journal_mode'), 'wal');
  assert.equal(await pragma('synchronous'), 2);
  assert.equal(await pragma('foreign_keys'), 1);
});

test('a transaction is over before the event loop goes on', async () => {
  await using file = await temporarySqlite();
  await using database = await openDatabase(file);
  let committed = false;
  const writing = database.queries
    .transaction()
    .execute(async (transaction) => {
      for (const id of ['a', 'b', 'c'])
        await transaction.insertInto('accounts').values({ id, name: id, created_at: 'now' }).execute();
    })
    .then(() => {
      committed = true;
    });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(committed, true);
  await writing;
});

test('a write waits for another process without standing still', async () => {
  await using file = await temporarySqlite();
  await using database = await openDatabase(file);
  const other = new Libsql(file.url);
  other.exec('BEGIN IMMEDIATE');
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks === 5) other.exec('COMMIT');
  }, 10);
  await database.queries.insertInto('accounts').values({ id: 'a', name: 'a', created_at: 'now' }).execute();
  clearInterval(timer);
  assert.ok(ticks >= 5);
  other.close();
});

test('a file that is no database is named, and left alone', async () => {
  await using file = await temporarySqlite();
  writeFileSync(
    file.url,
    'shopping list: milk, eggs, a good deal of patience, and a hundred bytes more of it\n'.repeat(50),
  );
  await assert.rejects(openDatabase(file), /The database .*siann\.db cannot be opened \(.*not a database/);
});
