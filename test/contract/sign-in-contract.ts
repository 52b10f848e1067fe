import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuditReader } from '../../src/accounts/audit/audit-log.ts';
import { createConsoleUsers } from '../../src/accounts/sign-in/console-users.ts';
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
    assert.equal((await testbed.users.list()).length, 1);
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
    await signIn.signOutEverywhere(user);
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
    await testbed.users.remove('mei');
    assert.deepEqual(await testbed.users.list(), []);
  });

  it('makes users with the role of their link, and lets only the right link touch a user who is there', async () => {
    await using testbed = await open(create);
    const { signIn, users } = testbed;
    const use = (link: string, name: string) => signIn.useLink(link, { name, password });
    const owner = await use(await signIn.createLink(), 'mei');
    assert.equal(owner.user.role, 'owner');
    const invitation = await signIn.createLink({ role: 'viewer' });
    await assert.rejects(use(invitation, 'mei'), { code: 'invalid_value', param: 'name' });
    const viewer = await use(invitation, 'hua');
    assert.equal(viewer.user.role, 'viewer');
    assert.equal((await signIn.findUser(viewer.token)).role, 'viewer');
    const reset = await signIn.createLink({ user: 'hua' });
    await assert.rejects(use(reset, 'mei'), { code: 'invalid_value', param: 'name' });
    await assert.rejects(use(reset, 'new'), { code: 'invalid_value', param: 'name' });
    assert.equal((await use(reset, 'hua')).user.role, 'viewer', 'a new password is no new role');
    assert.equal((await signIn.findUser(owner.token)).name, 'mei');
    await assert.rejects(signIn.createLink({ role: 'king' }), { code: 'invalid_value', param: 'role' });
    await assert.rejects(signIn.createLink({ user: 'nobody' }), { code: 'not_found' });
    await assert.rejects(users.setRole('hua', 'king'), { code: 'invalid_value', param: 'role' });
  });

  it('ends the sessions of whoever gets another role, and keeps the console an owner', async () => {
    await using testbed = await open(create);
    const { signIn, users } = testbed;
    const { user: mei } = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    const link = await signIn.createLink({ role: 'operator' });
    const hua = await signIn.useLink(link, { name: 'hua', password });
    await users.setRole('hua', 'viewer');
    await assert.rejects(signIn.findUser(hua.token), { code: 'not_signed_in' });
    const by = { source: 'console', name: 'mei' } as const;
    await assert.rejects(users.setRole('mei', 'viewer', by), { code: 'invalid_value' });
    await assert.rejects(users.remove(mei.id, by), { code: 'invalid_value', message: /last owner/ });
    await users.setRole('hua', 'owner', by);
    await users.setRole('mei', 'viewer', by);
    assert.deepEqual(
      (await users.list()).map(({ name, role }) => `${name} ${role}`),
      ['hua owner', 'mei viewer'],
    );
  });

  it('changes a password for whoever knows the old one, and ends all other sessions', async () => {
    await using testbed = await open(create);
    const { signIn } = testbed;
    const address = '192.0.2.1';
    const first = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    const other = await signIn.signIn({ name: 'mei', password, address });
    const change = (current: string, wanted: string) =>
      signIn.changePassword(first.user, { current, password: wanted }, { address });
    await assert.rejects(change('a wrong guess', 'a loud waterfall'), { code: 'wrong_password' });
    await assert.rejects(change(password, 'short'), { code: 'invalid_value', param: 'password' });
    await signIn.findUser(other.token);
    const changed = await change(password, 'a loud waterfall');
    for (const { token } of [first, other])
      await assert.rejects(signIn.findUser(token), { code: 'not_signed_in' });
    assert.equal((await signIn.findUser(changed.token)).name, 'mei');
    await assert.rejects(signIn.signIn({ name: 'mei', password, address }), { code: 'wrong_password' });
    await signIn.signIn({ name: 'mei', password: 'a loud waterfall', address });
  });

  it('knows whom a provider vouches for, gives them the role of today, and takes over nobody of that name', async () => {
    await using testbed = await open(create);
    const { signIn, users } = testbed;
    const local = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    const subject = 'https://id.example mei-1';
    const first = await signIn.signInProvided({ subject, name: 'mei', role: 'viewer' });
    assert.notEqual(first.user.id, local.user.id);
    assert.notEqual(first.user.name, 'mei');
    assert.deepEqual([first.user.role, first.user.hasPassword], ['viewer', false]);
    const again = await signIn.signInProvided({ subject, name: 'mei renamed', role: 'operator' });
    assert.deepEqual([again.user.id, again.user.role], [first.user.id, 'operator']);
    await assert.rejects(signIn.findUser(first.token), { code: 'not_signed_in' }, 'the old role is over');
    assert.equal((await users.list()).length, 2);
    const guess = { name: first.user.name, address: '192.0.2.1' };
    for (const tried of ['none', '', password])
      await assert.rejects(signIn.signIn({ ...guess, password: tried }), { code: 'wrong_password' });
    const both = await Promise.all(
      [1, 2].map(() =>
        signIn.signInProvided({ subject: 'https://id.example hua', name: 'hua', role: 'viewer' }),
      ),
    );
    assert.equal(both[0]!.user.id, both[1]!.user.id);
  });

  it('notes every change of users with who made it and from where', async () => {
    await using testbed = await open(create);
    const { signIn, users, clock } = testbed;
    const by = { source: 'command line', name: 'root', address: 'server' } as const;
    const tick = () => clock.advance(1);
    const link = await signIn.createLink({ role: 'viewer', by });
    tick();
    const { user } = await signIn.useLink(link, { name: 'mei', password }, { address: '192.0.2.1' });
    tick();
    await users.setRole('mei', 'operator', by);
    tick();
    await signIn.signOutEverywhere(user, { address: '192.0.2.1' });
    tick();
    await users.remove('mei', by);
    const { entries, next } = await testbed.readAuditLog();
    assert.equal(next, null);
    const told = entries.map(({ actor, source, address, action, target }) =>
      [actor, source, address, action, target.name].join(' | '),
    );
    assert.deepEqual(told.reverse().sort(), [
      'mei | console | 192.0.2.1 | user.create | mei',
      'mei | console | 192.0.2.1 | user.sign_in | mei',
      'mei | console | 192.0.2.1 | user.sign_out_everywhere | mei',
      'root | command line | server | user.link | ',
      'root | command line | server | user.remove | mei',
      'root | command line | server | user.role | mei',
    ]);
    const role = entries.find(({ action }) => action === 'user.role');
    assert.deepEqual(role?.details, { from: 'viewer', to: 'operator' });
    assert.ok(!JSON.stringify(entries).includes(link));
  });
}

async function open(create: CreateDatabase) {
  const file = await create();
  const database = await openDatabase({ url: file.url });
  const clock = createTestClock();
  return {
    database,
    clock,
    users: createConsoleUsers({ database, clock }),
    readAuditLog: createAuditReader({ database }),
    signIn: createSignIn({ database, clock, wait: async () => {} }),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await file[Symbol.asyncDispose]();
    },
  };
}
