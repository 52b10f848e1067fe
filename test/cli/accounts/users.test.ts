import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporarySqlite } from '../../../bench/servers/temporary-database.ts';
import { createSignIn } from '../../../src/accounts/sign-in/sign-in.ts';
import { users } from '../../../src/cli/accounts/users.ts';
import { checkBeforeStart, explainStartFailure } from '../../../src/cli/service/before-start.ts';
import { welcome } from '../../../src/cli/service/welcome.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { scriptedContext } from '../scripted-context.ts';

test('a link lets somebody into the console, and a user can be removed', async () => {
  await using file = await temporarySqlite();
  const run = async (line: string) => {
    const context = scriptedContext({ env: { SIANN_DATABASE: file.url, SIANN_PORT: '9443' } });
    assert.equal(await users(line.split(' '), context), 0);
    return context.printed();
  };
  assert.match(await run('list'), /^Nobody can sign in to the console yet\. .*siann users link/);
  const [, link] = /https:\/\/localhost:9443\/console#\/setup\?link=(\w{43})/.exec(await run('link'))!;
  {
    await using database = await openDatabase(file);
    await createSignIn({ database }).useLink(link!, { name: 'mei', password: 'a quiet river' });
  }
  assert.match(await run('list'), /mei +user_\w+ +owner +password/);
  assert.match(await run('role mei viewer'), /mei is viewer now/);
  assert.match(await run('list'), /mei +user_\w+ +viewer/);
  assert.match(await run('link --user mei'), /a new password for mei/);
  assert.match(await run('link --role operator'), /is operator then/);
  assert.match(await run('remove mei --yes'), /Removed mei/);
  assert.match(await run('list'), /^Nobody/);
});

test('the first screen has the console’s link and the keys; a later one has neither', () => {
  const service = {
    addresses: { live: 'https://localhost:8443/v1', test: 'https://localhost:8444/v1' },
    authorityPath: '/data/tls/ca.pem',
  };
  const first = welcome({ service, keys: { live: 'sk_live_1', test: 'sk_test_1' }, link: 'L' });
  assert.match(first, /https:\/\/localhost:8443\/console#\/setup\?link=L\n/);
  assert.match(first, /The browser warns about the certificate/);
  assert.match(first, /sk_live_1/);
  assert.ok(first.split('\n').length <= 40, 'one screen');
  const without = welcome({ service, keys: undefined, link: undefined, hasConsole: false });
  assert.doesNotMatch(without, /console/);
  const later = welcome({ service, keys: undefined, link: undefined });
  assert.doesNotMatch(later, /setup|sk_/);
  assert.match(later, /console {2}https:\/\/localhost:8443\/console\n/);
});

test('a start warns about little memory, and explains a full disk', async () => {
  const config = { ...loadConfig({}), memoryLimitMegabytes: 1e8 };
  const [warning] = await checkBeforeStart(config);
  assert.match(warning!, /^There is little memory: .*SIANN_MODEL=base/);
  const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
  assert.match((explainStartFailure(full) as Error).message, /^The disk is full\. Free about 1 GB/);
  const other = new Error('other');
  assert.equal(explainStartFailure(other), other);
});
