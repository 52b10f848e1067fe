import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { hashOf } from '../../src/accounts/keys/api-key.ts';
import { createKeyLookup } from '../../src/accounts/keys/key-lookup.ts';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { createConsoleUsers } from '../../src/accounts/sign-in/console-users.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { migrations } from '../../src/storage/migrations/all.ts';
import { connect, openDatabase } from '../../src/storage/open-database.ts';
import type { CreateDatabase } from '../support/both-engines.ts';
import { startFixture } from '../support/fixture-process.ts';

export function databaseContract(create: CreateDatabase): void {
  it('is made by the first who opens it, and as it was for the next', async () => {
    await using file = await create();
    {
      await using database = await openDatabase(file);
      await database.queries
        .insertInto('accounts')
        .values({ id: 'acc_1', name: 'first', created_at: 'now' })
        .execute();
    }
    await using database = await openDatabase(file);
    await database.ping();
    const rows = await database.queries.selectFrom('accounts').select('name').execute();
    assert.deepEqual(rows, [{ name: 'first' }]);
  });

  it('is migrated once when many open it at once, in this process and others', async () => {
    await using file = await create();
    const others = [1].map(() => startFixture('open-database.ts', [file.url]));
    const databases = await Promise.all([1, 2, 3, 4].map(() => openDatabase(file)));
    for (const other of others) assert.deepEqual(await other.lines(), ['migrated']);
    const { rows } = await sql<{ number: number }>`SELECT number FROM migrations ORDER BY number`.execute(
      databases[0]!.queries,
    );
    assert.deepEqual(
      rows.map((row) => row.number),
      migrations.map((_, index) => index + 1),
    );
    for (const database of databases) await database[Symbol.asyncDispose]();
  });

  it('brings the first tables up to date with what is in them: keys go on working, users become owners', async () => {
    await using file = await create();
    const text = 'sk_live_abcdefghijklmnopqrstuvwxyz012345';
    {
      await using old = await connect(file.url);
      await migrate({ ...old, migrations: migrations.slice(0, 3) });
      const statements = [
        `INSERT INTO accounts VALUES ('acc_1', 'default', '2026-01-01')`,
        `INSERT INTO projects VALUES ('proj_1', 'acc_1', 'default', 'free', '[]', '2026-01-01', NULL)`,
        `INSERT INTO api_keys VALUES ('key_1', 'proj_1', 'old', 'live', 'sk_live_abcd', '${hashOf(text)}', NULL, '2026-01-01', NULL, NULL)`,
        `INSERT INTO daily_usage VALUES ('key_1', '2026-02-03', 1000, 1)`,
        `INSERT INTO console_users VALUES ('user_1', 'mei', 'scrypt$1', '2026-01-01')`,
        `INSERT INTO sign_in_links VALUES ('hash', 99999999999999)`,
      ];
      for (const statement of statements) await sql.raw(statement).execute(old.queries);
    }
    await using database = await openDatabase(file);
    const known = await createKeyLookup({ database }).find(text);
    assert.deepEqual(
      [known?.admitted.key.id, known?.scopes, known?.endsAtMs],
      ['key_1', undefined, undefined],
    );
    const [key] = await createAccounts({ database }).keys.list();
    assert.deepEqual([key?.lastUsedAt, key?.expiresAt, key?.playground], ['2026-02-03', null, false]);
    const [user] = await createConsoleUsers({ database }).list();
    assert.deepEqual([user?.name, user?.role, user?.hasPassword], ['mei', 'owner', true]);
    const [link] = await database.queries.selectFrom('sign_in_links').selectAll().execute();
    assert.deepEqual([link?.role, link?.user_id], ['owner', null]);
  });

  it('runs only the migrations that are new, and undoes one that fails', async () => {
    await using file = await create();
    await using database = await openDatabase(file);
    const added = [...migrations, ['CREATE TABLE extra (id INTEGER)']];
    const broken = [...added, ['CREATE TABLE half (id INTEGER)', 'CREATE NONSENSE']];
    await assert.rejects(migrate({ ...database, migrations: broken }));
    await assert.rejects(sql`SELECT * FROM extra`.execute(database.queries));
    await migrate({ ...database, migrations: added });
    await migrate({ ...database, migrations: added });
    await sql`SELECT * FROM extra`.execute(database.queries);
    await assert.rejects(sql`SELECT * FROM half`.execute(database.queries));
  });

  it('serves an older version after a newer one has added to it, and the newer one again', async () => {
    await using file = await create();
    const newer = [
      ...migrations,
      ['CREATE TABLE moods (id TEXT)', 'ALTER TABLE accounts ADD COLUMN mood TEXT'],
    ];
    {
      await using database = await connect(file.url);
      await migrate({ ...database, migrations: newer });
    }
    await using older = await openDatabase(file);
    await older.queries.insertInto('accounts').values({ id: 'a', name: 'a', created_at: 'now' }).execute();
    await migrate({ ...older, migrations: newer });
    const { rows } = await sql<{ id: string; mood: null }>`SELECT id, mood FROM accounts`.execute(
      older.queries,
    );
    assert.deepEqual(rows, [{ id: 'a', mood: null }]);
  });

  it('undoes a transaction that fails, whole', async () => {
    await using file = await create();
    await using database = await openDatabase(file);
    const insert = (id: string) => ({ id, name: id, created_at: 'now' });
    await assert.rejects(
      database.queries.transaction().execute(async (transaction) => {
        await transaction.insertInto('accounts').values(insert('a')).execute();
        await transaction.insertInto('accounts').values(insert('a')).execute();
      }),
    );
    assert.deepEqual(await database.queries.selectFrom('accounts').selectAll().execute(), []);
    await database.queries.insertInto('accounts').values(insert('a')).execute();
  });

  it('has a version that every change moves, whoever makes it, where it has one at all', async () => {
    await using file = await create();
    await using here = await openDatabase(file);
    await using there = await openDatabase(file);
    const quiet = here.version();
    if (quiet === undefined) return;
    await here.queries.selectFrom('accounts').selectAll().execute();
    assert.equal(here.version(), quiet);
    const versions = new Set([quiet]);
    for (const database of [here, there, here, there]) {
      await database.queries
        .insertInto('accounts')
        .values({ id: String(versions.size), name: String(versions.size), created_at: 'now' })
        .execute();
      versions.add(here.version()!);
    }
    assert.equal(versions.size, 5);
  });
}
