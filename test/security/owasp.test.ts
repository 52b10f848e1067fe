/** The OWASP API security top ten of 2023: each risk is tried once, against the whole service. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { windowCodec } from '../../src/cluster/queue/window-codec.ts';
import { startService, type TestService } from '../support/service.ts';
import { connectStream, type Refusal } from '../support/stream-client.ts';

const password = 'a quiet river';
const fromPage = {
  'x-siann-console': '1',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
};

describe('OWASP API security top ten (2023)', () => {
  let running: TestService;
  let stranger: { projectId: string; key: string };
  let cookie = '';
  before(async () => {
    running = await startService({ plan: 'professional' });
    const { projects, keys } = running.service.accounts;
    const project = await projects.create({ name: 'a stranger', plan: 'free' });
    const { key } = await keys.create({ project: project.id, environment: 'live' });
    stranger = { projectId: project.id, key };
    const link = await running.service.signIn.createLink();
    const response = await askConsole('POST', '/setup', { link, name: 'mei', password });
    cookie = (response.headers['set-cookie'] as string[])[0]!.split(';')[0]!;
  });
  after(() => running[Symbol.asyncDispose]());

  function askConsole(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    return running.fetch(`/console/api${path}`, {
      method,
      headers: { authorization: '', ...fromPage, ...(cookie && { cookie }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  test('1, object level authorization: a key reaches nothing of another project', async () => {
    const authorization = `Bearer ${stranger.key}`;
    for (const header of ['x-project-id', 'openai-project'])
      for (const path of ['/v1/account', '/v1/usage']) {
        const named = await running.fetch(path, { headers: { authorization, [header]: running.projectId } });
        assert.equal(named.status, 404, `${header} ${path}: ${named.text}`);
      }
    const own = await running.fetch('/v1/account', { headers: { authorization } });
    assert.equal(own.status, 200);
    assert.ok(!own.text.includes(running.projectId));
  });

  test('2, authentication: no key, a wrong one, one of the other port, a revoked one and one in the address are refused', async () => {
    const { keys } = running.service.accounts;
    const revoked = await keys.create({ project: stranger.projectId, environment: 'live' });
    await keys.revoke(revoked.id);
    for (const authorization of [
      '',
      'Bearer',
      `Bearer ${stranger.key.slice(0, -1)}x`,
      `Bearer ${running.keys.test}`,
      `Bearer ${revoked.key}`,
      `Basic ${Buffer.from(`${stranger.key}:`).toString('base64')}`,
    ]) {
      const { status, text } = await running.fetch('/v1/account', { headers: { authorization } });
      assert.ok(status === 401 || status === 403, `${authorization}: ${status} ${text}`);
      assert.ok(!text.includes(stranger.key));
    }
    const inAddress = await running.fetch(`/v1/account?api_key=${stranger.key}`, {
      headers: { authorization: '' },
    });
    assert.equal(inAddress.status, 401);
  });

  test('2, authentication: a token opens one stream and not a second', async () => {
    const { text } = await running.fetch('/v1/speech/realtime/tokens', { method: 'POST' });
    const { token } = JSON.parse(text) as { token: string };
    const path = `/v1/speech/realtime?token=${token}`;
    await using _first = await connectStream(running, { path, anonymous: true });
    await assert.rejects(
      connectStream(running, { path, anonymous: true }),
      ({ status }: Refusal) => status === 401,
    );
  });

  test('3, object property level authorization: fields that are not offered are neither taken nor told', async () => {
    const created = await askConsole('POST', '/projects', {
      name: 'mass assignment',
      id: 'chosen',
      used_ms: -1,
    });
    assert.ok(created.status === 400 || !created.text.includes('chosen'), created.text);
    const keys = await askConsole('GET', `/projects/${running.projectId}/keys`);
    assert.equal(keys.status, 200);
    assert.doesNotMatch(keys.text, /hash|secret"|password/);
    assert.ok(!keys.text.includes(running.keys.live));
  });

  test('4, resource consumption: more requests than the plan has are refused with the time to wait', async () => {
    const authorization = `Bearer ${stranger.key}`;
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => running.fetch('/v1/account', { headers: { authorization } })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 10, `${refused.length} of 40 were refused`);
    assert.ok(refused.every(({ headers }) => Number(headers['retry-after']) > 0));
    assert.equal((await running.fetch('/v1/account')).status, 200, 'another tenant is served');
  });

  test('5, function level authorization: a key is no session and a session is no key', async () => {
    const authorization = `Bearer ${running.keys.live}`;
    for (const [method, path] of [
      ['GET', '/projects'],
      ['POST', '/projects'],
      ['DELETE', `/projects/${running.projectId}`],
      ['POST', `/projects/${running.projectId}/keys`],
    ] as const) {
      const body = method === 'POST' ? { name: 'x', environment: 'live' } : undefined;
      const { status } = await askConsole(method, path, body, { authorization, cookie: '' });
      assert.equal(status, 401, `${method} ${path}`);
    }
    const withSession = await running.fetch('/v1/account', { headers: { authorization: '', cookie } });
    assert.equal(withSession.status, 401);
  });

  test('6, sensitive business flows: a setup link makes one user', async () => {
    const link = await running.service.signIn.createLink();
    const users = await Promise.all(
      ['an', 'bo', 'chen', 'di'].map((name) =>
        askConsole('POST', '/setup', { link, name, password }, { cookie: '' }),
      ),
    );
    assert.deepEqual(
      users.map(({ status }) => status).filter((status) => status === 200),
      [200],
    );
  });

  test('7, server side request forgery: no address that a request brings is called', async () => {
    let calls = 0;
    const trap = createServer((socket) => {
      calls += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const { port } = trap.address() as { port: number };
    const address = `http://127.0.0.1:${port}/talk.mp3`;
    const playlist = `#EXTM3U\n#EXTINF:10,\n${address}\n`;
    for (const name of ['url', 'file_url', 'callback', 'callback_url', 'webhook', 'model']) {
      const form = ['--b', `Content-Disposition: form-data; name="${name}"`, '', address];
      const file = ['--b', 'Content-Disposition: form-data; name="file"; filename="list.m3u8"', '', playlist];
      const { status } = await running.fetch('/v1/audio/transcriptions', {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body: [...form, ...file, '--b--', ''].join('\r\n'),
      });
      assert.ok(status < 500, `${name}: ${status}`);
    }
    await running.fetch('/v1/account', { headers: { host: `127.0.0.1:${port}`, referer: address } });
    trap.close();
    assert.equal(calls, 0);
  });

  test('8, misconfiguration: answers tell nothing of the machine, and old TLS is refused', async () => {
    for (const [method, path] of [
      ['GET', '/v1/nowhere'],
      ['TRACE', '/v1/account'],
      ['POST', '/v1/audio/transcriptions'],
      ['GET', '/console/'],
    ] as const) {
      const { headers, text } = await running.fetch(path, { method });
      assert.equal(headers['x-content-type-options'], 'nosniff', path);
      assert.equal(headers.server, undefined);
      assert.equal(headers['x-powered-by'], undefined);
      assert.doesNotMatch(text, /node_modules|at .*\.ts:\d+/);
      assert.notEqual(headers['access-control-allow-credentials'], 'true');
    }
    const policy = String((await running.fetch('/console/')).headers['content-security-policy']);
    assert.match(policy, /default-src 'none'|default-src 'self'/);
    const old = connect({
      host: '127.0.0.1',
      port: running.ports.live,
      ca: running.ca,
      servername: 'localhost',
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await assert.rejects(once(old, 'secureConnect'));
  });

  test('9, inventory: what is described asks for a key, and nothing else answers', async () => {
    const { paths } = (await running.fetch('/v1/openapi.json')).json() as { paths: Record<string, object> };
    const open = ['/models', '/models/{model}', '/models/{id}'];
    for (const [path, item] of Object.entries(paths))
      for (const method of Object.keys(item)) {
        if (open.includes(path)) continue;
        const { status } = await running.fetch(`/v1${path}`, {
          method: method.toUpperCase(),
          headers: { authorization: '' },
        });
        assert.ok([401, 403, 426].includes(status), `${method} ${path}: ${status}`);
      }
    for (const path of [
      '/v0/account',
      '/v2/account',
      '/v1/keys',
      '/admin',
      '/debug',
      '/.env',
      '/console/api/users.json',
    ])
      assert.ok([401, 404].includes((await running.fetch(path)).status), path);
  });

  test('10, unsafe consumption: what a worker answers is checked before it is used', () => {
    const huge = Buffer.alloc(64);
    huge.writeUInt32LE(0xffff_ffff, 0);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('{}'),
      Buffer.from('[1,2,3]'),
      huge,
      Buffer.alloc(5000, 0x5b),
    ])
      assert.throws(() => windowCodec.unpackResult(bytes));
  });
});
