/** Signing in with an identity provider: a real one, and what happens when it or the browser is not to be trusted. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts';
import { startService, type TestResponse, type TestService } from '../../support/service.ts';

describe('single sign-on', () => {
  let provider: TestIdentityProvider;
  let running: TestService;
  before(async () => {
    provider = await startIdentityProvider();
    running = await startService({ env: settings(provider) });
    provider.serve(callbackOf(running));
  });
  after(async () => {
    await running[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    provider.alter = undefined;
    provider.person = { id: 'mei', groups: ['staff'] };
  });

  test('lets somebody in with the role that their groups give, and follows a change', async () => {
    provider.person = { id: 'mei', name: '梅 Mei', groups: ['staff', 'others'] };
    const cookie = await signOn();
    assert.deepEqual(await userOf(cookie), { name: '梅 Mei', role: 'operator', hasPassword: false });
    provider.person = { id: 'mei', name: 'renamed', groups: ['staff', 'admins'] };
    const later = await signOn();
    assert.deepEqual(await userOf(later), { name: '梅 Mei', role: 'owner', hasPassword: false });
    assert.equal(await userOf(cookie), undefined, 'the session with the old role is over');
    const users = await running.service.users.list();
    assert.equal(users.filter(({ name }) => name.includes('Mei')).length, 1);
  });

  test('does not let somebody in whose groups give no role', async () => {
    for (const groups of [
      undefined,
      [],
      ['strangers'],
      'constructor',
      ['__proto__'],
      { admins: true },
      [['admins']],
    ]) {
      provider.person = { id: 'stranger', groups };
      const answer = await comeBack(await begin());
      assert.equal(answer.headers.location, '/console#/?problem=no_role', JSON.stringify(groups));
      assert.equal(sessionIn(answer), undefined);
    }
  });

  test('is not somebody else because of a name', async () => {
    const { signIn } = running.service;
    await signIn.useLink(await signIn.createLink(), { name: 'boss', password: 'a quiet river' });
    provider.person = { id: 'impostor', name: 'boss', groups: 'staff' };
    const user = await userOf(await signOn());
    assert.match(user!.name, /^boss \(\w{6}\)$/);
    assert.equal(user!.role, 'operator');
    assert.equal((await running.service.users.find('boss')).role, 'owner');
  });

  test('asks with a code, PKCE, state and nonce, and keeps them where only this service can read them', async () => {
    const answer = await running.fetch('/console/single-sign-on');
    const asked = new URL(String(answer.headers.location));
    const { searchParams } = asked;
    assert.equal(asked.origin, provider.issuer);
    assert.equal(searchParams.get('response_type'), 'code');
    assert.equal(searchParams.get('code_challenge_method'), 'S256');
    const [cookie = ''] = answer.headers['set-cookie'] as string[];
    assert.match(
      cookie,
      /^__Host-siann-sign-on=v1\.[\w-]+; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const value = searchParams.get(name)!;
      assert.ok(value.length >= 43, name);
      assert.ok(!cookie.includes(value), name);
    }
    const again = await running.fetch('/console/single-sign-on');
    assert.notEqual(
      new URL(String(again.headers.location)).searchParams.get('state'),
      searchParams.get('state'),
    );
    const otherSite = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await running.fetch('/console/single-sign-on', { headers: otherSite })).status, 403);
  });

  test('refuses what a browser brings that did not begin here', async () => {
    const mine = await begin();
    const stolen = await begin();
    const attempts: Record<string, { cookie: string; query: string }> = {
      'no cookie': { cookie: '', query: mine.query },
      'a cookie of another kind': { cookie: '__Host-siann-sign-on=nonsense', query: mine.query },
      'a cookie that was altered': { cookie: `${mine.cookie.slice(0, -2)}AA`, query: mine.query },
      "somebody else's answer": { cookie: mine.cookie, query: stolen.query },
      "somebody else's code with the right state": {
        cookie: mine.cookie,
        query: stolen.query.replace(/state=[^&]+/, /state=[^&]+/.exec(mine.query)![0]),
      },
      'an answer without a code': { cookie: mine.cookie, query: mine.query.replace(/code=[^&]+&?/, '') },
      'an answer of another provider': {
        cookie: mine.cookie,
        query: mine.query.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example'),
      },
      'an error': { cookie: mine.cookie, query: 'error=access_denied' },
      nothing: { cookie: mine.cookie, query: '' },
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const answer = await comeBack(attempt);
      assert.equal(answer.headers.location, '/console#/?problem=failed', name);
      assert.equal(sessionIn(answer), undefined, name);
    }
  });

  test('takes an answer once', async () => {
    const flow = await begin();
    assert.ok(sessionIn(await comeBack(flow)));
    assert.equal(sessionIn(await comeBack(flow)), undefined);
  });

  test('refuses an ID token that is forged, old, for others, or the answer to another question', async () => {
    const altered: Record<string, NonNullable<TestIdentityProvider['alter']>> = {
      forged: (claims) => ({ claims: { ...claims, sub: 'admin', groups: ['admins'] }, forge: true }),
      'for another client': (claims) => ({ claims: { ...claims, aud: 'another' } }),
      'of another issuer': (claims) => ({ claims: { ...claims, iss: 'https://evil.example' } }),
      'with another nonce': (claims) => ({ claims: { ...claims, nonce: 'x'.repeat(43) } }),
      'without a nonce': ({ nonce: _nonce, ...claims }) => ({ claims }),
      expired: (claims) => ({ claims: { ...claims, exp: Math.floor(Date.now() / 1000) - 3600 } }),
      'of nobody': ({ sub: _sub, ...claims }) => ({ claims }),
    };
    await using fresh = await startService({ env: settings(provider) });
    provider.serve(callbackOf(fresh));
    try {
      for (const [name, alter] of Object.entries(altered)) {
        provider.alter = alter;
        const answer = await comeBack(await begin(fresh), fresh);
        assert.equal(answer.headers.location, '/console#/?problem=failed', name);
        assert.equal(sessionIn(answer), undefined, name);
      }
      provider.alter = (claims) => ({ claims });
      assert.ok(sessionIn(await comeBack(await begin(fresh), fresh)), 'as it came');
      const said = JSON.stringify(fresh.logged.filter(({ msg }) => msg === 'single sign-on failed'));
      assert.doesNotMatch(said, /eyJ/, 'no token is in the log');
    } finally {
      provider.serve(callbackOf(running));
    }
  });

  test('sends an address away that fails again and again, and says so when the provider is away', async () => {
    await using fresh = await startService({
      env: { ...settings(provider), SIANN_OIDC_ISSUER: 'http://127.0.0.1:1' },
    });
    const locations: unknown[] = [];
    for (let n = 0; n < 22; n += 1)
      locations.push((await fresh.fetch('/console/single-sign-on')).headers.location);
    assert.deepEqual(new Set(locations.slice(0, 20)), new Set(['/console#/?problem=failed']));
    assert.deepEqual(locations.slice(20), Array(2).fill('/console#/?problem=too_many'));
  });

  test('is offered only where a provider is set', async () => {
    const offered = async (service: TestService) =>
      (await service.fetch('/console/api/sign-in', { headers: { authorization: '' } })).json();
    assert.deepEqual(await offered(running), { singleSignOn: true });
    await using without = await startService();
    assert.deepEqual(await offered(without), { singleSignOn: false });
    for (const path of ['/console/single-sign-on', '/console/single-sign-on/callback?code=x&state=y'])
      assert.equal((await without.fetch(path)).status, 404, path);
  });

  /** What the browser has in the end: the cookie that it began with, and the answer of the provider. */
  async function begin(service = running): Promise<{ cookie: string; query: string }> {
    const answer = await service.fetch('/console/single-sign-on');
    assert.equal(answer.status, 302, answer.text);
    const [cookie = ''] = (answer.headers['set-cookie'] as string[])[0]!.split(';', 1);
    let address = new URL(String(answer.headers.location));
    const jar = new Map<string, string>();
    for (let step = 0; address.origin === provider.issuer; step += 1) {
      assert.ok(step < 10, address.href);
      const headers = { cookie: [...jar].map((pair) => pair.join('=')).join('; ') };
      const response = await fetch(address, { redirect: 'manual', headers });
      for (const set of response.headers.getSetCookie()) {
        const [name = '', value = ''] = set.split(';', 1)[0]!.split(/=(.*)/s, 2);
        jar.set(name, value);
      }
      const location = response.headers.get('location');
      assert.ok(location, `${response.status} ${await response.text()}`);
      address = new URL(location, address);
    }
    return { cookie, query: address.search.slice(1) };
  }
  function comeBack(
    { cookie, query }: { cookie: string; query: string },
    service = running,
  ): Promise<TestResponse> {
    const headers = { cookie, authorization: '', 'sec-fetch-site': 'cross-site' };
    return service.fetch(`/console/single-sign-on/callback?${query}`, { headers });
  }
  async function signOn(): Promise<string> {
    const answer = await comeBack(await begin());
    assert.equal(answer.headers.location, '/console', answer.text);
    const session = sessionIn(answer);
    assert.ok(session);
    return session;
  }
  function sessionIn(answer: TestResponse): string | undefined {
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    return cookies.find((set) => set.startsWith('__Host-siann='))?.split(';', 1)[0];
  }
  async function userOf(cookie: string) {
    const answer = await running.fetch('/console/api/session', { headers: { cookie, authorization: '' } });
    if (answer.status !== 200) return undefined;
    const { user } = answer.json() as {
      user: { id: string; name: string; role: string; hasPassword: boolean };
    };
    return { name: user.name, role: user.role, hasPassword: user.hasPassword };
  }
});

function settings({ issuer, clientSecret }: TestIdentityProvider): Record<string, string> {
  return {
    SIANN_OIDC_ISSUER: issuer,
    SIANN_OIDC_CLIENT_ID: 'siann',
    SIANN_OIDC_CLIENT_SECRET: clientSecret,
    SIANN_OIDC_ROLES: 'admins=owner,staff=operator',
  };
}

function callbackOf({ addresses }: TestService): string {
  return new URL('/console/single-sign-on/callback', addresses.live).href;
}
