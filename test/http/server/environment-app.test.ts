import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createEnvironmentApp } from '../../../src/http/server/environment-app.ts';
import { createMetrics } from '../../../src/operations/metrics.ts';
import { createServiceLog } from '../../../src/operations/service-log.ts';
import { silentRecogniser, startService, type TestService } from '../../support/service.ts';

const requestId = /^req_[0-9a-f-]{36}$/;

describe('a running service', () => {
  let running: TestService;
  before(async () => {
    running = await startService();
  });
  after(() => running[Symbol.asyncDispose]());

  test('answers a key of its environment, and a request id of its own', async () => {
    const { status, headers, json } = await running.fetch('/v1/account', {
      headers: { 'x-request-id': 'mine' },
    });
    assert.equal(status, 200);
    assert.match(String(headers['x-request-id']), requestId);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const account = json() as { environment: string; project: { id: string } };
    assert.equal(account.environment, 'live');
    assert.equal(account.project.id, running.projectId);
  });

  test('a key of the other environment, a made-up one and none are the same 401', async () => {
    const keys = [`Bearer ${running.keys.test}`, `Bearer sk_live_${'a'.repeat(32)}`, 'Basic abc', ''];
    const answers = await Promise.all(
      keys.map((authorization) => running.fetch('/v1/account', { headers: { authorization } })),
    );
    for (const { status, headers, text } of answers) {
      assert.equal(status, 401);
      assert.equal(headers['www-authenticate'], 'Bearer');
      assert.equal(text, answers[0]!.text);
    }
    assert.deepEqual(
      Object.entries((answers[0]!.json() as { error: object }).error).map(([key]) => key),
      ['message', 'type', 'code'],
    );
  });

  test('an unknown address is 404 not_found, with or without a key', async () => {
    for (const path of [
      '/',
      '/v1',
      '/v1/nothing',
      '/v1/account/',
      '/v1/models/a/b',
      '/../etc/passwd',
      '/%00',
    ]) {
      const { status, headers, json } = await running.fetch(path, { headers: { authorization: '' } });
      assert.equal(status, 404, path);
      assert.match(String(headers['x-request-id']), requestId);
      const { error } = json() as { error: { type: string; code: string } };
      assert.deepEqual([error.type, error.code], ['not_found_error', 'not_found']);
    }
  });

  test('an address that is not well formed is 404 too', async () => {
    for (const path of ['/v1/models/%zz', `/v1/models/${'a'.repeat(1000)}`]) {
      const { status, headers } = await running.fetch(path);
      assert.equal(status, 404, path);
      assert.match(String(headers['x-request-id']), requestId);
    }
  });

  test('another method is 405 and says which ones there are', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) {
      const { status, headers, json } = await running.fetch('/v1/account', { method, body: '{}' });
      assert.equal(status, 405, method);
      assert.equal(headers.allow, 'GET, HEAD, OPTIONS');
      assert.equal((json() as { error: { code: string } }).error.code, 'method_not_allowed');
    }
    const models = await running.fetch('/v1/models/siann-1', { method: 'DELETE' });
    assert.deepEqual([models.status, models.headers.allow], [405, 'GET, HEAD, OPTIONS']);
  });

  test('HEAD answers as GET does without the body; OPTIONS says which methods there are', async () => {
    const [get, head, options] = await Promise.all(
      ['GET', 'HEAD', 'OPTIONS'].map((method) => running.fetch('/v1/models', { method })),
    );
    assert.deepEqual([head!.status, head!.text], [200, '']);
    assert.equal(head!.headers['content-length'], get!.headers['content-length']);
    assert.deepEqual([options!.status, options!.headers.allow], [204, 'GET, HEAD, OPTIONS']);
    assert.equal(options!.headers['access-control-allow-origin'], undefined);
  });

  test('the models are listed as OpenAI lists its own', async () => {
    const list = (await running.fetch('/v1/models')).json() as { object: string; data: { id: string }[] };
    assert.deepEqual([list.object, list.data.map(({ id }) => id)], ['list', ['siann-1']]);
    const one = await running.fetch('/v1/models/siann-1');
    assert.deepEqual(one.json(), list.data[0]);
    const other = await running.fetch('/v1/models/whisper-1');
    assert.equal(other.status, 404);
    assert.deepEqual((other.json() as { error: { code: string; param: string } }).error.param, 'model');
  });

  test('usage takes a range of days, and names the day that is none', async () => {
    const usage = await running.fetch('/v1/usage?from=2026-01-01&to=2026-01-31');
    assert.equal(usage.status, 200);
    assert.deepEqual((usage.json() as { daily: unknown[] }).daily, []);
    for (const [query, param] of [
      ['from=yesterday', 'from'],
      ['to=2026-02-30', 'to'],
      ['from=2026-01-01&from=2026-01-02', 'from'],
    ]) {
      const { status, json } = await running.fetch(`/v1/usage?${query}`);
      const { error } = json() as { error: { code: string; param: string; message: string } };
      assert.deepEqual([status, error.code, error.param], [400, 'invalid_value', param], query);
    }
  });

  test('a project that is not the key’s own is 404 project_not_found', async () => {
    for (const header of ['x-project-id', 'openai-project']) {
      const own = await running.fetch('/v1/account', { headers: { [header]: running.projectId } });
      assert.equal(own.status, 200);
      const { status, json } = await running.fetch('/v1/account', { headers: { [header]: 'proj_other' } });
      assert.equal(status, 404);
      assert.equal((json() as { error: { code: string } }).error.code, 'project_not_found');
    }
  });
});

test('a route that does not say how it is admitted stops the start', async () => {
  const options = {
    environment: 'live' as const,
    gate: { admit: () => Promise.reject(new Error('nobody')) },
    state: { draining: false, requestsOpen: 0 },
    log: createServiceLog({ level: 'silent', output: { write: () => {} } }),
    metrics: createMetrics({ load: silentRecogniser().load }),
    clientOrigin: () => ({ address: '127.0.0.1', secure: true }),
    createServer: (handler: RequestListener) => createServer(handler),
    routes: (app: FastifyInstance) => void app.get('/v1/secrets', async () => 'all of them'),
  };
  await assert.rejects(createEnvironmentApp(options), /\/v1\/secrets does not say how it is admitted/);
});
