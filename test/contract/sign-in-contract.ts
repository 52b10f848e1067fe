import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSignIn } from '../../src/accounts/sign-in/sign-in.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createTestClock } from '../support/accounts.ts';
import type { CreateDatabase } from '../support/both-engines.ts';
import { processorSeconds } from '../support/processor-seconds.ts';

const password = 'a quiet river';

export function signInContract(create: CreateDatabase): void {
  it('lets one person in by a link, once and for a day', async () => {
    await using testbed = await open(create);
    const { signIn, clock } = testbed;
    const link = await signIn.createLink();
    const both = await Promise.allSettled(
      ['mei', 'hua'].map((name) => signIn.useLink(link, { name, password })),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const late = await signIn.createLink();
    clock.advance(25 * 3600 * 1000);
    const refused = { code: 'not_found', message: /siann users link/ };
    await assert.rejects(signIn.useLink(late, { name: 'late', password }), refused);
    await assert.rejects(signIn.useLink('made up', { name: 'late', password }), refused);
    assert.equal((await signIn.listUsers()).length, 1);
  });

  it('hashes no password for a link that there is not, however many come at once', async () => {
    await using testbed = await open(create);
    const { signIn } = testbed;
    const made = (n: number) =>
      signIn.useLink(`made up ${n}`, { name: 'x', password }, { address: '192.0.2.1' });
    const seconds = await processorSeconds(async () => {
      const tries = await Promise.allSettled(Array.from({ length: 40 }, (_, n) => made(n)));
      const codes = tries.map((each) => (each.status === 'rejected' ? each.reason.code : 'let in'));
      assert.deepEqual([...new Set(codes)].sort(), ['not_found', 'rate_limit_exceeded']);
    });
    // One hash takes a tenth of a second or more.
    assert.ok(seconds < 1, `${seconds} s`);
    // A link that is good works all the same, from the same address.
    await signIn.useLink(await signIn.createLink(), { name: 'mei', password }, { address: '192.0.2.1' });
  });

  it('knows a browser again, for one user and until the password is another', async () => {
    await using testbed = await open(create);
    const { signIn } = testbed;
    const address = '192.0.2.1';
    const { device } = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    await signIn.useLink(await signIn.createLink(), { name: 'hua', password });
    const guess = (n: number) =>
      signIn.signIn({ name: n % 2 ? 'mei' : 'hua', password: 'a wrong guess', address }).catch(() => {});
    for (let n = 0; n < 20; n += 1) await guess(n);
    await assert.rejects(signIn.signIn({ name: 'mei', password, address }), { code: 'rate_limit_exceeded' });
    assert.equal((await signIn.signIn({ name: 'mei', password, address, device })).device, device);
    await assert.rejects(signIn.signIn({ name: 'hua', password, address, device }), {
      code: 'rate_limit_exceeded',
    });
    const kept = await testbed.database.queries.selectFrom('known_devices').selectAll().execute();
    assert.ok(!JSON.stringify(kept).includes(device));
    await signIn.useLink(await signIn.createLink(), { name: 'mei', password: 'a loud waterfall' });
    const old = signIn.signIn({ name: 'mei', password: 'a loud waterfall', address, device });
    await assert.rejects(old, { code: 'rate_limit_exceeded' });
  });

  it('takes long passwords of any characters', async () => {
    await using testbed = await open(create);
    const { signIn } = testbed;
    const long = '🔑'.repeat(150);
    await signIn.useLink(await signIn.createLink(), { name: 'mei', password: long });
    await signIn.signIn({ name: 'mei', password: long, address: '192.0.2.1' });
    const other = `${'🔑'.repeat(149)}🔒`;
    await assert.rejects(signIn.signIn({ name: 'mei', password: other, address: '192.0.2.1' }), {
      code: 'wrong_password',
    });
  });

  it('does not use a link up for a password that is too short', async () => {
    await using testbed = await open(create);
    const link = await testbed.signIn.createLink();
    const refused = { code: 'invalid_value', param: 'password' };
    await assert.rejects(testbed.signIn.useLink(link, { name: 'mei', password: 'short' }), refused);
    await testbed.signIn.useLink(link, { name: 'mei', password });
  });

  it('keeps neither passwords nor tokens, and gives every sign-in a session of its own', async () => {
    await using testbed = await open(create);
    const { signIn, database } = testbed;
    const first = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    const second = await signIn.signIn({ name: ' mei ', password, address: '192.0.2.1' });
    assert.notEqual(first.token, second.token);
    const users = await database.queries.selectFrom('console_users').selectAll().execute();
    const sessions = await database.queries.selectFrom('sign_in_sessions').selectAll().execute();
    const kept = JSON.stringify([users, sessions]);
    for (const secret of [password, first.token, second.token]) assert.ok(!kept.includes(secret));
    assert.match(users[0]!.password_hash, /^scrypt\$65536\$8\$1\$/);
  });

  it('ends one session, all of a user, and those of a week ago', async () => {
    await using testbed = await open(create);
    const { signIn, clock } = testbed;
    const { token, user } = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    const again = () => signIn.signIn({ name: 'mei', password, address: '192.0.2.1' });
    const [second, third] = [await again(), await again()];
    await signIn.signOut(token);
    await assert.rejects(signIn.findUser(token), { code: 'not_signed_in' });
    assert.equal((await signIn.findUser(second.token)).name, 'mei');
    await signIn.signOutEverywhere(user.id);
    for (const ended of [second, third])
      await assert.rejects(signIn.findUser(ended.token), { code: 'not_signed_in' });
    const last = await again();
    clock.advance(8 * 24 * 3600 * 1000);
    await assert.rejects(signIn.findUser(last.token), { code: 'not_signed_in' });
    await assert.rejects(signIn.findUser(undefined), { code: 'not_signed_in' });
  });

  it('gives a user who has a new link a new password, and ends the old sessions', async () => {
    await using testbed = await open(create);
    const { signIn } = testbed;
    const old = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    await signIn.useLink(await signIn.createLink(), { name: 'mei', password: 'a loud waterfall' });
    await assert.rejects(signIn.findUser(old.token), { code: 'not_signed_in' });
    const address = '192.0.2.1';
    await assert.rejects(signIn.signIn({ name: 'mei', password, address }), { code: 'wrong_password' });
    await signIn.signIn({ name: 'mei', password: 'a loud waterfall', address });
    await signIn.removeUser('mei');
    assert.deepEqual(await signIn.listUsers(), []);
  });
}

async function open(create: CreateDatabase) {
  const file = await create();
  const database = await openDatabase({ url: file.url });
  const clock = createTestClock();
  return {
    database,
    clock,
    signIn: createSignIn({ database, clock, wait: async () => {} }),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await file[Symbol.asyncDispose]();
    },
  };
}
