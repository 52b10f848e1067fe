import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import { afterEach, beforeEach, test } from 'node:test';
import { type TemporaryDatabase, temporarySqlite } from '../../../bench/servers/temporary-database.ts';
import { createAccounts } from '../../../src/accounts/projects/accounts.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { startGate } from '../../support/accounts.ts';
import { type Script, scriptedContext } from '../scripted-context.ts';

let file: TemporaryDatabase;
beforeEach(async () => {
  file = await temporarySqlite();
});
afterEach(() => file[Symbol.asyncDispose]());

test('every list says what to do when it is empty', async () => {
  assert.match((await siann('projects list')).out, /^There are no projects yet\. Make one with: siann/);
  assert.match((await siann('keys list')).out, /^There are no keys yet\. Make one with: siann/);
  assert.match((await siann('usage')).out, /^There are no keys yet, and so no usage\.\n$/);
  for (const list of ['projects list --json', 'keys list --json', 'usage --json'])
    assert.equal((await siann(list)).out, '');
});

test('a key is made for a project and shown once, with its id', async () => {
  const [project] = (await siann('projects create talks --plan basic --json')).objects;
  assert.deepEqual([project.name, project.plan, project.allow], ['talks', 'basic', []]);
  const [made] = (await siann('keys create --project talks --environment test --json')).objects;
  assert.match(made.key, /^sk_test_[A-Za-z0-9]{32}$/);
  assert.match(made.id, /^key_/);
  const { out } = await siann('keys create --project talks --environment live --name phone');
  assert.match(out, /sk_live_[A-Za-z0-9]{32}\n/);
  const listed = await siann('keys list --json');
  assert.deepEqual(
    listed.objects.map(({ id, name, environment, key }) => [id === made.id, name, environment, key]),
    [
      [true, 'key', 'test', undefined],
      [false, 'phone', 'live', undefined],
    ],
  );
  assert.doesNotMatch(listed.out, /sk_test_[A-Za-z0-9]{5}/);
});

test('a key is renamed, regenerated under its id, signed for, and revoked', async () => {
  await siann('projects create talks');
  const [made] = (await siann('keys create --project talks --environment test --json')).objects;
  assert.match((await siann(`keys rename ${made.prefix} lecture`)).out, /now called lecture/);
  const [again] = (await siann(`keys regenerate ${made.id} --json`)).objects;
  assert.equal(again.id, made.id);
  assert.notEqual(again.key, made.key);
  assert.match((await siann(`keys sign ${made.id}`)).out, /ss_[A-Za-z0-9]{40}/);
  assert.match((await siann('keys list')).out, /valid, signed/);
  assert.match((await siann(`keys sign ${made.id} --off`)).out, /no signature any more/);
  assert.match((await siann(`keys revoke ${made.id}`)).out, /^Revoked sk_test_/);
  assert.match((await siann('keys list')).out, /revoked \d{4}/);
  const late = await siann(`keys regenerate ${made.id}`);
  assert.equal(late.code, 1);
  assert.match(late.err, /was revoked\. Create a new one\./);
});

test('a key can end, may do some things only, and is rolled with time to change over', async () => {
  await siann('projects create talks');
  const create = 'keys create --project talks --environment test';
  const [made] = (await siann(`${create} --expires 90d --scopes transcribe,account --json`)).objects;
  assert.deepEqual(made.scopes, ['transcribe', 'account']);
  const days = (Date.parse(made.expiresAt) - Date.now()) / (24 * 3_600_000);
  assert.ok(days > 89.9 && days <= 90, `${days}`);
  const [dated] = (await siann(`${create} --expires 2099-01-31 --json`)).objects;
  assert.equal(dated.expiresAt, '2099-01-31T00:00:00.000Z');
  assert.match((await siann('keys list')).out, /valid until 2099-01-31 +everything/);
  for (const wrong of ['--expires yesterday', '--expires 2020-01-01', '--scopes root', '--scopes ,'])
    assert.equal((await siann(`${create} ${wrong}`)).code, 2, wrong);

  const [rolled] = (await siann(`keys roll ${made.id} --grace 2h --json`)).objects;
  assert.equal(rolled.id, made.id);
  assert.notEqual(rolled.key, made.key);
  const hours = (Date.parse(rolled.previousUntil) - Date.now()) / 3_600_000;
  assert.ok(hours > 1.9 && hours <= 2, `${hours}`);
  assert.match(
    (await siann(`keys roll ${made.id}`)).out,
    /^The old key works until \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  );
  for (const grace of ['forever', '0h', '31d']) {
    const refused = await siann(`keys roll ${made.id} --grace ${grace}`);
    assert.equal(refused.code, 2, grace);
  }
});

test('every change is in the audit log, with who made it and on which machine', async () => {
  assert.match((await siann('audit')).out, /^Nothing has been changed yet\.\n$/);
  await siann('projects create talks --plan basic');
  await siann('plans set talks free');
  await siann('users link --role viewer');
  const { objects } = await siann('audit --json');
  assert.deepEqual(
    objects.map(({ action, source, actor, address }) => [action, source, actor, address]).reverse(),
    ['project.create', 'project.plan', 'user.link'].map((action) => [
      action,
      'command line',
      userInfo().username,
      hostname(),
    ]),
  );
  const { out } = await siann('audit --limit 1');
  assert.match(out, /user\.link: role viewer/);
  const [, position] = /--before (\S+)/.exec(out)!;
  assert.match(
    (await siann(`audit --limit 1 --before ${position}`)).out,
    /project\.plan: from basic, to free +talks/,
  );
  for (const wrong of ['--limit many', '--limit 5000', '--before yesterday'])
    assert.equal((await siann(`audit ${wrong}`)).code, 2, wrong);
});

test('deleting a project asks on a terminal, unless --yes is given', async () => {
  await siann('projects create talks');
  const no = await siann('projects delete talks', { terminal: true, stdin: 'n\n' });
  assert.equal(no.code, 1);
  assert.match(no.err, /all its keys fail at once, for good\. Go on\? \[y\/N\] Nothing was changed\./);
  assert.match((await siann('projects list')).out, /talks/);
  assert.equal((await siann('projects delete talks', { terminal: true, stdin: 'y\n' })).code, 0);
  await siann('projects create talks');
  assert.equal((await siann('projects delete talks --yes', { terminal: true })).code, 0);
  assert.match((await siann('projects list')).out, /no projects yet/);
});

test('a project is renamed, put on another plan, and closed to other networks', async () => {
  await siann('projects create 客戶甲');
  assert.match((await siann('projects rename 客戶甲 客戶乙')).out, /now called 客戶乙/);
  assert.match((await siann('plans set 客戶乙 enterprise')).out, /has the plan enterprise now/);
  assert.match(
    (await siann('projects allow 客戶乙 10.0.0.0/8 ::1')).out,
    /from 10\.0\.0\.0\/8, ::1\/128 only/,
  );
  const { out } = await siann('projects list');
  assert.match(out, /^project {2}id {21}plan {8}allowed {14}created\n客戶乙 {3}proj_/);
  assert.match((await siann('projects allow 客戶乙 --everyone')).out, /from everywhere/);
});

test('the plans are those of the contract', async () => {
  const { objects } = await siann('plans list --json');
  assert.deepEqual(objects.map(Object.values), [
    ['free', 1000, 5, 2],
    ['basic', 10_000, 20, 5],
    ['professional', 100_000, 50, 20],
    ['enterprise', null, 100, 50],
  ]);
});

test('usage is shown by key and day, while the service runs', async () => {
  await siann('projects create talks');
  const [made] = (await siann('keys create --project talks --environment test --json')).objects;
  await using database = await openDatabase({ url: file.url });
  await using gate = await startGate({ database, instance: 'service', log: console });
  const credential = {
    requestId: 'one',
    environment: 'test' as const,
    authorization: `Bearer ${made.key}`,
    projectId: undefined,
    address: '::1',
    method: 'POST',
    url: '/',
    signature: undefined,
    signatureTimestamp: undefined,
  };
  const lease = await gate.admit(credential, 'connection');
  await lease.settle(90);
  await lease.close();
  const [used] = (await siann('usage --project talks --json')).objects;
  assert.deepEqual([used.minutes, used.requests, used.remaining, used.daily.length], [1.5, 1, 998.5, 1]);
  assert.match((await siann(`usage --key ${made.id}`)).out, /talks +sk_test_.+ test +1\.50 +1 +998\.50\n$/);
  const [earlier] = (await siann('usage --from 2025-01-01 --to 2025-01-31 --json')).objects;
  assert.deepEqual([earlier.minutes, earlier.requests, earlier.remaining], [0, 0, 998.5]);

  await siann(`keys revoke ${made.id}`);
  await assert.rejects(gate.admit({ ...credential, requestId: 'two' }, 'call'), { code: 'invalid_api_key' });
  assert.equal((await createAccounts({ database }).keys.list()).length, 1);
});

test('every mistake is a sentence that says what to do', async () => {
  await siann('projects create talks');
  const mistakes: [string, number, RegExp][] = [
    ['projects', 2, /^Say what to do: list, create, rename, allow, delete\.\nSee: siann help projects\n$/],
    ['projects remove talks', 2, /^"remove" is not something to do here: list,/],
    ['projects create', 2, /^NAME is missing\./],
    ['projects create talks', 2, /^There is a project named "talks" already\. Choose another name\./],
    ['projects create x --plan gold', 2, /^"gold" is not a plan\. Plans: free, basic,/],
    ['projects create x y', 2, /^"y" is not expected here\./],
    ['projects rename nobody x', 1, /^There is no project "nobody"\. See: siann projects list/],
    ['projects allow talks', 2, /^Name the networks/],
    ['projects allow talks 10.0.0.0/33', 2, /^"10\.0\.0\.0\/33" is not a network\./],
    ['plans set talks', 2, /^PLAN is missing\./],
    ['keys create --environment test', 2, /^Say whose key it is with --project/],
    ['keys create --project talks', 2, /^Say --environment live or --environment test\./],
    ['keys create --project talks --environment prod', 2, /^"prod" is not an environment\./],
    ['keys revoke key_none', 1, /^There is no key "key_none"\. See: siann keys list/],
    ['usage --from yesterday', 2, /^from must be a day such as 2026-11-15\./],
    ['usage --from 2026-02-30', 2, /^from must be a day/],
    ['usage --from 2026-02-02 --to 2026-02-01', 2, /^from must not be after to\./],
  ];
  for (const [line, code, sentence] of mistakes) {
    const answer = await siann(line);
    assert.equal(answer.code, code, line);
    assert.match(answer.err, sentence, line);
    assert.equal(answer.out, '', line);
  }
});

test('a database that cannot be opened is named, with what to check', async () => {
  const answer = await siann('projects list', { env: { SIANN_DATABASE: '/dev/null/siann.db' } });
  assert.equal(answer.code, 1);
  assert.match(answer.err, /^The database \/dev\/null\/siann\.db cannot be opened .* Check SIANN_DATA/);
  const server = await siann('projects list', {
    env: { SIANN_DATABASE: 'postgres://u:secret@127.0.0.1:1/x' },
  });
  assert.equal(server.code, 1);
  assert.match(server.err, /^The database cannot be reached .*ECONNREFUSED.* Check SIANN_DATABASE/);
  assert.doesNotMatch(server.err, /secret/);
});

async function siann(line: string, script: Script = {}) {
  const context = scriptedContext({ env: { SIANN_DATABASE: file.url }, ...script });
  const code = await runCommandLine(line.split(' '), context);
  const out = context.printed();
  return {
    code,
    out,
    err: context.complained(),
    get objects() {
      return out
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text));
    },
  };
}
