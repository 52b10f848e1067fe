/** What each role may do, over every route that the console has. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Fastify from 'fastify';
import { consoleRoutes } from '../../../src/http/console/console-routes.ts';
import type { ConsoleRole } from '../../../wire/console.ts';
import { startService, type TestResponse, type TestService } from '../../support/service.ts';

const password = 'a quiet river';

/** Who may use which route. A route that is new has to be added here. */
const expected: Record<string, ConsoleRole | 'nobody'> = {
  'GET /console/api/sign-in': 'nobody',
  'POST /console/api/sign-in': 'nobody',
  'POST /console/api/setup': 'nobody',
  'GET /console/api/session': 'viewer',
  'POST /console/api/password': 'viewer',
  'POST /console/api/sign-out': 'viewer',
  'POST /console/api/sign-out-everywhere': 'viewer',
  'GET /console/api/operator': 'viewer',
  'GET /console/api/projects': 'viewer',
  'GET /console/api/projects/:id/keys': 'viewer',
  'GET /console/api/projects/:id/usage': 'viewer',
  'GET /console/api/projects/:id/usage.csv': 'viewer',
  'POST /console/api/projects': 'operator',
  'PATCH /console/api/projects/:id': 'operator',
  'POST /console/api/projects/:id/keys': 'operator',
  'POST /console/api/projects/:id/playground-key': 'operator',
  'PATCH /console/api/keys/:id': 'operator',
  'DELETE /console/api/keys/:id': 'operator',
  'POST /console/api/keys/:id/regenerate': 'operator',
  'POST /console/api/keys/:id/roll': 'operator',
  'POST /console/api/keys/:id/signature': 'operator',
  'DELETE /console/api/keys/:id/signature': 'operator',
  'GET /console/api/audit': 'operator',
  'DELETE /console/api/projects/:id': 'owner',
  'GET /console/api/users': 'owner',
  'POST /console/api/users/links': 'owner',
  'PATCH /console/api/users/:id': 'owner',
  'DELETE /console/api/users/:id': 'owner',
};

const ranks: ConsoleRole[] = ['viewer', 'operator', 'owner'];

describe('roles of the console', () => {
  let running: TestService;
  const cookies = {} as Record<ConsoleRole, string>;
  before(async () => {
    running = await startService();
    for (const role of ranks) cookies[role] = await newUser(role, `a ${role}`);
  });
  after(() => running[Symbol.asyncDispose]());

  test('are named by every route there is', async () => {
    assert.deepEqual((await routesThatThereAre()).sort(), Object.keys(expected).sort());
  });

  test('open what they should, and nothing else', async () => {
    for (const [route, wanted] of Object.entries(expected)) {
      if (wanted === 'nobody') continue;
      const signedOut = await call(route, '');
      assert.equal(signedOut.status, 401, `${route} without a session`);
      for (const role of ranks) {
        // Leaving or changing the password would end the session that the other routes need.
        const ends = /sign-out|password/.test(route);
        const cookie = ends ? await newUser(role, `${role} of ${route}`.slice(0, 90)) : cookies[role];
        const { status, text } = await call(route, cookie);
        const allowed: boolean = ranks.indexOf(role) >= ranks.indexOf(wanted);
        assert.equal(status === 403, !allowed, `${role}: ${route} ${status} ${text}`);
        if (!allowed) assert.match(text, /"code":"insufficient_permission"/);
        else assert.notEqual(status, 500, `${role}: ${route} ${text}`);
      }
    }
  });

  test('change nothing when they do not suffice', async () => {
    const { accounts, users } = running.service;
    const project = await accounts.projects.create({ name: 'untouched' });
    const key = await accounts.keys.create({ project: project.id, environment: 'test', name: 'untouched' });
    const before = JSON.stringify([
      await accounts.projects.find(project.id),
      await accounts.keys.find(key.id),
    ]);
    const attempts: [string, string, object?][] = [
      ['PATCH', `/projects/${project.id}`, { name: 'taken', plan: 'enterprise' }],
      ['DELETE', `/projects/${project.id}`],
      ['POST', `/keys/${key.id}/regenerate`],
      ['DELETE', `/keys/${key.id}`],
      ['POST', `/projects/${project.id}/keys`, { name: 'mine', environment: 'live' }],
      ['PATCH', `/users/${(await users.find('a viewer')).id}`, { role: 'owner' }],
    ];
    for (const [method, path, body] of attempts)
      assert.equal((await ask(method, path, cookies.viewer, body)).status, 403, path);
    const found = [await accounts.projects.find(project.id), await accounts.keys.find(key.id)];
    assert.equal(JSON.stringify(found), before);
    assert.equal((await users.find('a viewer')).role, 'viewer');
  });

  test('of one user are changed by another, and every change is in the audit log', async () => {
    const cookie = await newUser('viewer', 'mei');
    const { id } = await running.service.users.find('mei');
    const changed = await ask('PATCH', `/users/${id}`, cookies.owner, { role: 'operator' });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await ask('GET', '/session', cookie)).status, 401, 'mei was signed out');
    const made = await ask('POST', '/projects', cookies.operator, { name: 'noted' });
    assert.equal(made.status, 200);
    const { entries } = (await ask('GET', '/audit?limit=2', cookies.operator)).json() as {
      entries: { action: string; actor: string; address: string; target: { name: string } }[];
    };
    const told = entries.map(({ action, actor, address, target }) => [action, actor, address, target.name]);
    assert.deepEqual(told, [
      ['project.create', 'a operator', '127.0.0.1', 'noted'],
      ['user.role', 'a owner', '127.0.0.1', 'mei'],
    ]);
  });

  test('cannot be raised with a link for somebody new', async () => {
    const link = await running.service.signIn.createLink({ role: 'viewer' });
    const answer = await ask('POST', '/setup', '', { link, name: 'a owner', password });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /already/);
  });

  async function routesThatThereAre(): Promise<string[]> {
    const routes: string[] = [];
    const app = Fastify();
    app.decorateRequest('clientAddress', '');
    app.addHook('onRoute', ({ method, url, config }) => {
      if (!url.startsWith('/console/api')) return;
      assert.ok(config?.console, url);
      routes.push(...[method].flat().map((each) => `${each} ${url}`));
    });
    // Nothing is asked of it, so the parts behind the routes need not be there.
    const parts = { signIn: {}, projects: { accounts: {} }, users: {}, audit: {}, figures: {}, files: {} };
    await consoleRoutes(app, { ...parts, allowsAddress: () => true } as never);
    await app.ready();
    await app.close();
    return routes.filter((route) => !route.startsWith('HEAD '));
  }

  /** A request that is well formed, on things that there are not. */
  function call(route: string, cookie: string): Promise<TestResponse> {
    const [method = '', path = ''] = route.split(' ');
    const bodies: Record<string, object> = {
      'POST /console/api/password': { current: password, password: 'a loud waterfall' },
      'POST /console/api/projects': { name: `made ${Math.random()}` },
      'PATCH /console/api/projects/:id': { name: 'other' },
      'POST /console/api/projects/:id/keys': { name: 'key', environment: 'test' },
      'PATCH /console/api/keys/:id': { name: 'other' },
      'POST /console/api/keys/:id/roll': { graceHours: 1 },
      'POST /console/api/users/links': { role: 'viewer' },
      'PATCH /console/api/users/:id': { role: 'viewer' },
    };
    return ask(method, path.replace('/console/api', '').replace(':id', 'none'), cookie, bodies[route]);
  }
  function ask(method: string, path: string, cookie: string, body?: object): Promise<TestResponse> {
    return running.fetch(`/console/api${path}`, {
      method,
      headers: {
        authorization: '',
        'x-siann-console': '1',
        'sec-fetch-site': 'same-origin',
        cookie,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
  async function newUser(role: ConsoleRole, name: string): Promise<string> {
    const { signIn } = running.service;
    const link = await signIn.createLink({ role });
    return `__Host-siann=${(await signIn.useLink(link, { name, password })).token}`;
  }
});

describe('where the console may be used from', () => {
  const paths = ['/console', '/console/assets/x.js', '/console/api/session', '/console/api/sign-in'];

  test('nowhere, when it is off', async () => {
    await using running = await startService({ env: { SIANN_CONSOLE: 'off' } });
    for (const path of paths) assert.equal((await running.fetch(path)).status, 404, path);
    await running.service.prepareConsole();
    assert.equal((await running.fetch('/v1/account')).status, 200);
  });

  test('from the networks that are named, and no others', async () => {
    await using elsewhere = await startService({ env: { SIANN_CONSOLE: '192.0.2.0/24, 2001:db8::/32' } });
    for (const path of paths.slice(0, 3)) {
      const answer = await elsewhere.fetch(path);
      assert.equal(answer.status, 403, path);
      assert.match(answer.text, /SIANN_CONSOLE/);
    }
    const { signIn } = elsewhere.service;
    const { token } = await signIn.useLink(await signIn.createLink(), { name: 'mei', password });
    const headers = { cookie: `__Host-siann=${token}`, 'x-forwarded-for': '192.0.2.1' };
    assert.equal((await elsewhere.fetch('/console/api/session', { headers })).status, 403);
    assert.equal((await elsewhere.fetch('/v1/account')).status, 200);

    await using here = await startService({ env: { SIANN_CONSOLE: '127.0.0.0/8' } });
    assert.equal((await here.fetch('/console/api/session')).status, 401);
  });
});
