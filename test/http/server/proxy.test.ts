import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openRaw } from '../../support/raw-connection.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('behind a proxy', () => {
  let running: TestService;
  before(async () => {
    running = await startService({ env: { SIANN_TLS: 'proxy' } });
  });
  after(() => running[Symbol.asyncDispose]());

  const ask = async (path: string, ...headers: string[]) => {
    await using connection = await openRaw(running.ports.live);
    const lines = ['Host: a', 'Connection: close', `Authorization: Bearer ${running.keys.live}`, ...headers];
    connection.send(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    const answer = await connection.closed();
    return { status: Number(answer.slice(9, 12)), answer };
  };

  test('what came over HTTPS is answered', async () => {
    assert.equal((await ask('/v1/account', 'X-Forwarded-Proto: https')).status, 200);
  });

  test('what came over HTTP, or does not say, is 403 https_required, before the key is looked at', async () => {
    for (const headers of [[], ['X-Forwarded-Proto: http'], ['X-Forwarded-Proto: https, http']]) {
      for (const path of ['/v1/account', '/docs', '/nothing']) {
        const { status, answer } = await ask(path, ...headers);
        assert.equal(status, 403);
        assert.match(answer, /"type":"permission_error","code":"https_required"/);
      }
    }
  });

  test('the description leaves the address to the proxy', async () => {
    const { answer } = await ask('/v1/openapi.json', 'X-Forwarded-Proto: https');
    assert.match(answer, /"servers":\[\{"url":"\/v1","description":"This environment"\}\]/);
  });

  test('the health of the service can be asked for from inside', async () => {
    assert.equal((await ask('/healthz')).status, 200);
    assert.equal((await ask('/readyz')).status, 200);
    assert.equal((await ask('/metrics')).status, 200);
  });

  test('metrics are not for those whom the proxy lets in from outside', async () => {
    const outside = await ask('/metrics', 'X-Forwarded-Proto: https', 'X-Forwarded-For: 203.0.113.7');
    assert.equal(outside.status, 404);
    assert.equal((await ask('/metrics', 'X-Forwarded-Proto: https')).status, 404);
    const many = Array.from({ length: 2500 }, () => 'a:');
    const hidden = await ask('/metrics', ...many, 'X-Forwarded-Proto: https', 'X-Forwarded-For: 203.0.113.7');
    assert.equal(hidden.status, 404);
  });

  test('the allow-list of a project goes by the address that the proxy reports', async () => {
    await running.service.accounts.projects.setAllow(running.projectId, ['203.0.113.0/24']);
    const from = (address: string) =>
      ask('/v1/account', 'X-Forwarded-Proto: https', `X-Forwarded-For: ${address}`);
    assert.equal((await from('203.0.113.7')).status, 200);
    assert.match((await from('198.51.100.7')).answer, /403 [\s\S]*ip_not_allowed/);
    assert.match((await from('203.0.113.7, 198.51.100.7')).answer, /ip_not_allowed/);
    await running.service.accounts.projects.setAllow(running.projectId, []);
  });
});

test('an untrusted peer is refused whatever it says', async () => {
  await using running = await startService({
    env: { SIANN_TLS: 'proxy', SIANN_TRUSTED_PROXIES: '192.0.2.1' },
  });
  await using connection = await openRaw(running.ports.live);
  connection.send('GET /v1/account HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n\r\n');
  await connection.until(/HTTP\/1\.1 403 [\s\S]*https_required/);
});
