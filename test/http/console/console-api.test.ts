import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { plans } from '../../../src/accounts/projects/plans.ts';
import { startService, type TestResponse, type TestService } from '../../support/service.ts';

const password = 'a quiet river';
const ownPage = {
  'x-siann-console': '1',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
};

describe('the interface of the console', () => {
  let running: TestService;
  let cookie = '';
  before(async () => {
    running = await startService({ plans: { ...plans, basic: { ...plans.basic, quotaMinutes: 7 } } });
    const link = await running.service.signIn.createLink();
    cookie = cookieOf(await call('POST', '/setup', { link, name: 'mei', password }));
  });
  after(() => running[Symbol.asyncDispose]());

  function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
    return running.fetch(`/console/api${path}`, {
      method,
      headers: { authorization: '', ...ownPage, ...(cookie && { cookie }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await call(method, path, body);
    assert.equal(response.status, 200, response.text);
    return response.json() as Answer;
  }

  test('asks everybody to sign in', async () => {
    for (const [method, path] of [
      ['GET', '/session'],
      ['GET', '/projects'],
      ['POST', '/projects'],
      ['GET', '/operator'],
      ['POST', '/sign-out-everywhere'],
    ] as const) {
      const { status, text } = await call(method, path, method === 'POST' ? {} : undefined, { cookie: '' });
      assert.equal(status, 401, `${method} ${path}`);
      assert.match(text, /"code":"not_signed_in"/);
    }
    const withKey = await running.fetch('/console/api/projects');
    assert.equal(withKey.status, 401, 'a key is not a session');
  });

  test('gives the session in a cookie that scripts, other sites and plain HTTP never see', async () => {
    const response = await call('POST', '/sign-in', { name: 'mei', password }, { cookie: '' });
    assert.equal(response.status, 200);
    const [set, device] = response.headers['set-cookie'] as string[];
    assert.match(
      set!,
      /^__Host-siann=[A-Za-z0-9]{43}; Max-Age=604800; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    assert.match(
      device!,
      /^__Host-siann-device=[A-Za-z0-9]{43}; Max-Age=15552000; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(response.headers['cache-control'], 'no-store');
    const wrong = await call('POST', '/sign-in', { name: 'mei', password: 'a guess at it' });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.headers['set-cookie'], undefined);
  });

  test('never takes up a session that the browser brought along', async () => {
    const planted = `__Host-siann=${'a'.repeat(43)}`;
    const response = await call('POST', '/sign-in', { name: 'mei', password }, { cookie: planted });
    const given = cookieOf(response);
    assert.notEqual(given, planted);
    assert.equal((await call('GET', '/session', undefined, { cookie: planted })).status, 401);
    // Signing in again ends the session that was there.
    const second = cookieOf(await call('POST', '/sign-in', { name: 'mei', password }, { cookie: given }));
    assert.equal((await call('GET', '/session', undefined, { cookie: given })).status, 401);
    assert.equal((await call('GET', '/session', undefined, { cookie: second })).status, 200);
  });

  test('sends an address away that tries out links', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 22; n += 1) {
      const user = { link: `made up ${n}`, name: 'thief', password };
      statuses.push((await call('POST', '/setup', user, { cookie: '' })).status);
    }
    assert.deepEqual(statuses.slice(0, 20), Array(20).fill(404));
    assert.deepEqual(statuses.slice(20), [429, 429]);
  });

  test('refuses what another site makes the browser send', async () => {
    const attempts: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'x-siann-console': '' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
    ];
    for (const headers of attempts) {
      const sent = Object.fromEntries(
        Object.entries({ ...ownPage, ...headers }).filter(([, value]) => value),
      );
      const response = await running.fetch('/console/api/projects', {
        method: 'POST',
        headers: { authorization: '', cookie, ...sent },
        body: '{"name":"planted"}',
      });
      assert.equal(response.status, 403, JSON.stringify(headers));
    }
    const read = await call('GET', '/projects', undefined, {
      'sec-fetch-site': 'cross-site',
      'x-siann-console': '',
    });
    assert.equal(read.status, 403);
    const projects = await ask<{ name: string }[]>('GET', '/projects');
    assert.ok(projects.every(({ name }) => name !== 'planted'));
  });

  test('signs out here, and everywhere', async () => {
    const [one, two, three] = [await signedIn(), await signedIn(), await signedIn()];
    const out = await call('POST', '/sign-out', undefined, { cookie: one });
    assert.equal(out.status, 204);
    assert.match(String(out.headers['set-cookie']), /Max-Age=0/);
    assert.equal((await call('GET', '/session', undefined, { cookie: one })).status, 401);
    await call('POST', '/sign-out-everywhere', undefined, { cookie: two });
    assert.equal((await call('GET', '/session', undefined, { cookie: three })).status, 401);
    cookie = await signedIn();
  });

  test('manages a project: name, plan, allow-list', async () => {
    const made = await ask<{ id: string }>('POST', '/projects', { name: 'talks', plan: 'basic' });
    const changed = await ask<object>('PATCH', `/projects/${made.id}`, {
      name: 'lectures',
      plan: 'professional',
      allow: ['192.0.2.0/24', '2001:db8::/32'],
    });
    assert.deepEqual(
      { name: 'lectures', plan: 'professional', allow: ['192.0.2.0/24', '2001:db8::/32'], ...changed },
      changed,
    );
    const bad = await call('PATCH', `/projects/${made.id}`, { allow: ['everybody'] });
    assert.equal(bad.status, 400);
    await ask('DELETE', `/projects/${made.id}`);
    assert.equal((await call('GET', `/projects/${made.id}/keys`)).status, 404);
  });

  test('manages keys: a new one works, a regenerated or revoked one does not', async () => {
    const { id: project } = await ask<{ id: string }>('POST', '/projects', { name: 'keys' });
    const made = await ask<{ id: string; key: string }>('POST', `/projects/${project}/keys`, {
      name: 'phone',
      environment: 'test',
    });
    assert.equal(await accountStatus(made.key), 200);
    await ask('PATCH', `/keys/${made.id}`, { name: 'tablet' });
    const fresh = await ask<{ key: string }>('POST', `/keys/${made.id}/regenerate`, {});
    assert.equal(await accountStatus(made.key), 401);
    assert.equal(await accountStatus(fresh.key), 200);
    const signed = await ask<{ signingSecret: string }>('POST', `/keys/${made.id}/signature`, {});
    assert.match(signed.signingSecret, /^ss_/);
    assert.equal(await accountStatus(fresh.key), 403);
    await ask('DELETE', `/keys/${made.id}/signature`);
    await ask('DELETE', `/keys/${made.id}`);
    assert.equal(await accountStatus(fresh.key), 401);
    const [listed] = await ask<object[]>('GET', `/projects/${project}/keys`);
    const expected = { name: 'tablet', environment: 'test', signed: false, scopes: null, expiresAt: null };
    assert.deepEqual({ ...listed, ...expected }, listed);
    assert.ok(!JSON.stringify(listed).includes(fresh.key));
    assert.ok((listed as { lastUsedAt: string }).lastUsedAt, 'asking for the account is a use');
  });

  test('makes keys that end and that may do some things only, and rolls them', async () => {
    const { id: project } = await ask<{ id: string }>('POST', '/projects', { name: 'limited' });
    const make = (limits: object) =>
      call('POST', `/projects/${project}/keys`, { name: 'limited', environment: 'test', ...limits });
    const bad = [
      { scopes: ['everything'] },
      { scopes: [] },
      { expiresAt: '2020-01-01' },
      { expiresAt: 'soon' },
    ];
    for (const limits of bad) assert.equal((await make(limits)).status, 400, JSON.stringify(limits));
    const unlimited = await make({ scopes: null, expiresAt: null });
    assert.equal(unlimited.status, 200, unlimited.text);
    const made = (await make({ scopes: ['transcribe'], expiresAt: '2099-01-01' })).json();
    const { key, id, scopes, expiresAt } = made as Record<string, string>;
    assert.deepEqual([scopes, expiresAt], [['transcribe'], '2099-01-01T00:00:00.000Z']);
    assert.equal(await accountStatus(key!), 403);
    const models = await running.fetch('/v1/models', {
      environment: 'test',
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(models.status, 200);

    const other = (await make({})).json() as { key: string; id: string };
    const rolled = await ask<{ key: string; id: string }>('POST', `/keys/${other.id}/roll`, {
      graceHours: 1,
    });
    assert.equal(rolled.id, other.id);
    assert.deepEqual([await accountStatus(other.key), await accountStatus(rolled.key)], [200, 200]);
    await ask('POST', `/keys/${other.id}/regenerate`, {});
    assert.deepEqual([await accountStatus(other.key), await accountStatus(rolled.key)], [401, 401]);
    assert.equal((await call('POST', `/keys/${id}/roll`, { graceHours: 10_000 })).status, 400);
  });

  test('shows and exports what was used', async () => {
    const lease = await running.fetch('/v1/audio/transcriptions', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: [
        '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nsiann-1',
        '\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n',
      ].join(''),
    });
    assert.equal(lease.status, 200, lease.text);
    const usage = await ask<{ keys: { requests: number; minutes: number }[] }>(
      'GET',
      `/projects/${running.projectId}/usage`,
    );
    assert.equal(
      usage.keys.reduce((sum, { requests }) => sum + requests, 0),
      1,
    );
    const csv = await call('GET', `/projects/${running.projectId}/usage.csv`);
    assert.match(String(csv.headers['content-disposition']), /^attachment; filename="siann-usage-/);
    assert.match(
      csv.text,
      /^date,environment,key,name,minutes,requests\r\n\d{4}-\d\d-\d\d,live,key_\w+,key,0\.02,1\r\n$/,
    );
  });

  test('gives the playground a key of its own, which is as good as the session', async () => {
    const path = `/projects/${running.projectId}/playground-key`;
    const keyFor = async (session: string) => {
      const answer = await call('POST', path, {}, { cookie: session });
      assert.equal(answer.status, 200, answer.text);
      return (answer.json() as { key: string }).key;
    };
    const [mine, other] = [await signedIn(), await signedIn()];
    const first = await keyFor(mine);
    assert.match(first, /^sk_live_[A-Za-z0-9]{32}$/);
    assert.equal(await keyFor(mine), first);
    const ofOther = await keyFor(other);
    assert.notEqual(ofOther, first, 'every session has its own');
    assert.equal(await accountStatus(first, 'live'), 403, 'it can transcribe, and nothing else');
    assert.equal(await modelsStatus(first), 200);
    const listed = await ask<{ name: string }[]>('GET', `/projects/${running.projectId}/keys`);
    assert.ok(listed.every(({ name }) => name !== 'Playground'));
    await call('POST', '/sign-out', undefined, { cookie: mine });
    assert.equal(await modelsStatus(first), 401);
    assert.equal(await modelsStatus(ofOther), 200);
  });

  test('leaves a key alone that somebody has called Playground', async () => {
    const { keys } = running.service.accounts;
    const real = await keys.create({ project: running.projectId, environment: 'live', name: 'Playground' });
    await keys.requireSignature(real.id);
    await ask('POST', `/projects/${running.projectId}/playground-key`, {});
    const after = await keys.find(real.id);
    assert.deepEqual([after.prefix, after.signed, after.revokedAt], [real.prefix, true, null]);
  });

  test('tells the operator how the service does, by numbers and codes', async () => {
    const view = await ask<{ processes: number; errors: { code: string; count: number }[] }>(
      'GET',
      '/operator',
    );
    assert.equal(view.processes, 1);
    assert.ok(view.errors.some(({ code, count }) => code === 'not_signed_in' && count > 0));
  });

  test('shows the plans that the service has', async () => {
    type Session = { plans: { id: string; quotaMinutes: number | null }[] };
    const { plans: shown } = await ask<Session>('GET', '/session');
    assert.equal(shown.find(({ id }) => id === 'basic')?.quotaMinutes, 7);
    const { id } = await ask<{ id: string }>('POST', '/projects', { name: 'small', plan: 'basic' });
    await ask('POST', `/projects/${id}/keys`, { name: 'only', environment: 'live' });
    const usage = await ask<{ keys: { quota: number | null }[] }>('GET', `/projects/${id}/usage`);
    assert.deepEqual(
      usage.keys.map(({ quota }) => quota),
      [7],
    );
  });

  test('is not there in the test environment', async () => {
    for (const path of ['/console', '/console/api/session'])
      assert.equal((await running.fetch(path, { environment: 'test' })).status, 404);
  });

  async function signedIn(): Promise<string> {
    return cookieOf(await call('POST', '/sign-in', { name: 'mei', password }, { cookie: '' }));
  }
  async function modelsStatus(key: string): Promise<number> {
    return (await running.fetch('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status;
  }
  async function accountStatus(key: string, environment: 'live' | 'test' = 'test'): Promise<number> {
    const headers = { authorization: `Bearer ${key}` };
    return (await running.fetch('/v1/account', { environment, headers })).status;
  }
});

function cookieOf(response: TestResponse): string {
  const [cookie] = (response.headers['set-cookie'] as string[] | undefined) ?? [];
  assert.ok(cookie, response.text);
  return cookie.split(';', 1)[0]!;
}
