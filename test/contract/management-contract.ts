import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuditReader } from '../../src/accounts/audit/audit-log.ts';
import { createAuditedAccounts } from '../../src/accounts/audit/audited-accounts.ts';
import { hashOf } from '../../src/accounts/keys/api-key.ts';
import { createPlaygroundKeys } from '../../src/accounts/keys/playground-keys.ts';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { createSignIn } from '../../src/accounts/sign-in/sign-in.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createAccountTestbed } from '../support/accounts.ts';
import type { CreateDatabase } from '../support/both-engines.ts';

export function managementContract(create: CreateDatabase): void {
  it('makes the first account once', async () => {
    await using testbed = await createAccountTestbed(create);
    assert.equal(testbed.project.name, 'default');
    assert.equal(testbed.project.plan, 'free');
    assert.equal(await testbed.accounts.createFirst(), undefined);
    assert.equal((await testbed.accounts.projects.list()).length, 1);
  });

  it('makes one first account when several services start at once', async () => {
    await using file = await create();
    await using database = await openDatabase(file);
    const starts = [1, 2, 3, 4].map(() => createAccounts({ database }).createFirst());
    const made = (await Promise.all(starts)).filter((project) => project !== undefined);
    assert.equal(made.length, 1);
    assert.equal((await database.queries.selectFrom('accounts').selectAll().execute()).length, 1);
  });

  it('keeps names of projects apart, and lets those of deleted ones be used again', async () => {
    await using testbed = await createAccountTestbed(create);
    const { projects } = testbed.accounts;
    await projects.create({ name: 'talks' });
    const taken = { code: 'invalid_value', param: 'name', message: /"talks" already/ };
    await assert.rejects(projects.create({ name: 'talks' }), taken);
    await assert.rejects(projects.rename('default', 'talks'), taken);
    await projects.delete('talks');
    await assert.rejects(projects.find('talks'), { code: 'project_not_found' });
    assert.equal((await projects.create({ name: ' talks ' })).name, 'talks');
    for (const name of ['', '  ', 'a\nb', 'x'.repeat(101)])
      await assert.rejects(projects.create({ name }), { code: 'invalid_value', param: 'name' });
  });

  it('keeps of a key only its hash and first characters', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key, id } = await testbed.createKey('live');
    assert.match(key, /^sk_live_[A-Za-z0-9]{32}$/);
    const row = await testbed.database.queries
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(row.hash, hashOf(key));
    assert.equal(row.prefix, key.slice(0, 12));
    assert.ok(!JSON.stringify(row).includes(key.slice(12)));
  });

  it('finds keys by id or by their first characters, and says when several begin alike', async () => {
    await using testbed = await createAccountTestbed(create);
    const { keys } = testbed.accounts;
    const [one, two] = [await testbed.createKey(), await testbed.createKey()];
    assert.equal((await keys.find(one.id)).id, one.id);
    assert.equal((await keys.find(one.prefix)).id, one.id);
    await testbed.database.queries.updateTable('api_keys').set({ prefix: one.prefix }).execute();
    await assert.rejects(keys.find(one.prefix), { code: 'not_found', message: /Name one by its id/ });
    await assert.rejects(keys.find('key_none'), { code: 'not_found' });
    await keys.revoke(two.id);
    await assert.rejects(keys.regenerate(two.id), { code: 'not_found', message: /was revoked/ });
  });

  it('hides the keys of a deleted project, and keeps what they used', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    await lease.settle(6);
    await lease.close();
    await testbed.accounts.projects.delete('default');
    assert.deepEqual(await testbed.accounts.keys.list(), []);
    const entries = await testbed.database.queries.selectFrom('ledger_entries').selectAll().execute();
    assert.equal(entries.length, 1);
  });

  it('gives every node the same playground key for a session, and never touches another key', async () => {
    await using testbed = await createAccountTestbed(create);
    await using elsewhere = await openDatabase({ url: testbed.url });
    const signIn = createSignIn({ database: testbed.database, clock: testbed.clock });
    const { token } = await signIn.useLink(await signIn.createLink(), {
      name: 'mei',
      password: 'a quiet river',
    });
    const { projects, keys } = testbed.accounts;
    const nodes = [testbed.database, elsewhere].map((database) =>
      createPlaygroundKeys({ database, projects, clock: testbed.clock }),
    );
    const real = await keys.create({ project: testbed.project.id, environment: 'live', name: 'Playground' });
    const texts = await Promise.all(nodes.map((node) => node.keyOf(testbed.project.id, token)));
    assert.equal(new Set(texts).size, 1);
    const [text = ''] = texts;
    const admit = (key: string) =>
      testbed.gate.admit(testbed.credential(key, { environment: 'live', scope: 'transcribe' }), 'call');
    const { admitted } = await admit(text);
    assert.deepEqual(
      (await keys.list(testbed.project.id)).map(({ id }) => id),
      [real.id],
    );
    assert.equal((await keys.list(testbed.project.id, { playground: true })).length, 2);
    const rows = await testbed.database.queries.selectFrom('api_keys').selectAll().execute();
    for (const secret of [text, token]) assert.ok(!JSON.stringify(rows).includes(secret.slice(12)));

    await keys.revoke(admitted.key.id);
    const another = await nodes[1]!.keyOf(testbed.project.id, token);
    assert.notEqual(another, text);
    assert.equal(await nodes[0]!.keyOf(testbed.project.id, token), another);
    await admit(another);
    const lease = await testbed.gate.admit(
      testbed.credential(another, { environment: 'live' }),
      'connection',
    );
    assert.equal(lease.revoked.aborted, false);
    await signIn.signOut(token);
    await assert.rejects(admit(another), { code: 'invalid_api_key' });
    while (!lease.revoked.aborted) await delay(20);
    await lease.close();
    await (await admit(real.key)).close();
  });

  it('notes every change with who made it, in the same transaction, and reads them page by page', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database, clock } = testbed;
    const actor = { source: 'console', name: 'mei', userId: 'user_1', address: '192.0.2.1' } as const;
    const { projects, keys } = createAuditedAccounts({ database, clock }, actor);
    const read = createAuditReader({ database });
    assert.deepEqual(await read(), { entries: [], next: null });
    const step = async <Result>(work: Promise<Result>) => {
      const result = await work;
      clock.advance(1);
      return result;
    };
    const { id } = await step(projects.create({ name: 'talks' }));
    await step(projects.rename(id, 'lectures'));
    await step(projects.setPlan(id, 'basic'));
    await step(projects.setAllow(id, ['192.0.2.0/24']));
    const key = await step(keys.create({ project: id, environment: 'test', scopes: ['transcribe'] }));
    await step(keys.rename(key.id, 'phone'));
    await step(keys.roll(key.id, 3_600_000));
    await step(keys.regenerate(key.id));
    const { signingSecret } = await step(keys.requireSignature(key.id));
    await step(keys.dropSignature(key.id));
    await step(keys.revoke(key.id));
    await step(projects.delete(id));
    await assert.rejects(projects.create({ name: 'default' }), { code: 'invalid_value' });
    await assert.rejects(keys.revoke('key_none'), { code: 'not_found' });

    const all = await read({ limit: 100 });
    assert.deepEqual(all.entries.map(({ action }) => action).reverse(), [
      'project.create',
      'project.rename',
      'project.plan',
      'project.allow',
      'key.create',
      'key.rename',
      'key.roll',
      'key.regenerate',
      'key.sign',
      'key.unsign',
      'key.revoke',
      'project.delete',
    ]);
    for (const { actor: who, source, address } of all.entries)
      assert.deepEqual([who, source, address], ['mei', 'console', '192.0.2.1']);
    assert.deepEqual(all.entries.at(-3)?.details, { from: 'free', to: 'basic' });
    for (const secret of [key.key, signingSecret]) assert.ok(!JSON.stringify(all).includes(secret.slice(12)));

    const paged: string[] = [];
    let before: string | undefined;
    do {
      const page = await read({ limit: 5, before });
      paged.push(...page.entries.map(({ id: entry }) => entry));
      before = page.next ?? undefined;
    } while (before !== undefined);
    assert.deepEqual(
      paged,
      all.entries.map(({ id: entry }) => entry),
    );
    for (const wrong of [{ limit: 0 }, { limit: 1001 }, { before: 'x' }])
      await assert.rejects(read(wrong), { code: 'invalid_value' });
  });

  it('changes nothing when the change cannot be noted', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database, clock } = testbed;
    const actor = { source: 'console', name: 'mei' } as const;
    const { projects } = createAuditedAccounts({ database, clock }, actor);
    await database.queries.schema.dropTable('audit_entries').execute();
    await assert.rejects(projects.create({ name: 'unseen' }));
    assert.deepEqual(
      (await projects.list()).map(({ name }) => name),
      ['default'],
    );
  });
}
