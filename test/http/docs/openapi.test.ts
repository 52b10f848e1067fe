import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOpenApiValidator } from '../../../bench/hostile/inputs/openapi-validator.ts';
import type { OpenApiDocument } from '../../../src/http/docs/openapi.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('the description of the interface', () => {
  let running: TestService;
  let document: OpenApiDocument;
  before(async () => {
    running = await startService();
    document = (await running.fetch('/v1/openapi.json')).json() as OpenApiDocument;
  });
  after(() => running[Symbol.asyncDispose]());

  test('is OpenAPI 3.1 of version 1.0.0, and can be read without a key', async () => {
    const { status, headers } = await running.fetch('/v1/openapi.json', { headers: { authorization: '' } });
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^application\/json/);
    assert.deepEqual([document.openapi, document.info.version], ['3.1.0', '1.0.0']);
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      [running.addresses.live, running.addresses.test],
    );
  });

  test('has every operation, and only those of the interface', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    );
    assert.deepEqual(operations.sort(), [
      'get /account getAccount',
      'get /models listModels',
      'get /models/{id} getModel',
      'get /speech/realtime streamSpeech',
      'get /usage getUsage',
      'post /audio/transcriptions transcribeAudio',
      'post /realtime/client_secrets createClientSecret',
      'post /realtime/transcription_sessions createTranscriptionSession',
      'post /speech/realtime/tokens createStreamToken',
    ]);
  });

  test('has every schema once, and refers to it', () => {
    const names = Object.keys(document.components.schemas);
    for (const name of ['Error', 'Account', 'Usage', 'Model', 'ModelList'])
      assert.ok(names.includes(name), name);
    assert.ok(names.every((name) => /^[A-Z][A-Za-z0-9]*$/.test(name)));
    const account = document.paths['/account']!.get!.responses;
    const schema = (status: number) => account[status]!.content!['application/json']!.schema;
    assert.deepEqual(schema(200), { $ref: '#/components/schemas/Account' });
    assert.deepEqual(schema(429), { $ref: '#/components/schemas/Error' });
  });

  test('describes the statuses that the contract names for a transcription', () => {
    const { responses } = document.paths['/audio/transcriptions']!.post!;
    for (const status of [200, 400, 401, 403, 413, 429, 500, 503])
      assert.ok(Object.hasOwn(responses, status), `${status}`);
  });

  test('is true of the answers of the service', async () => {
    const { assertDescribed } = createOpenApiValidator(document);
    const requests: [string, string, Record<string, string>?][] = [
      ['GET', '/v1/account'],
      ['GET', '/v1/account', { authorization: 'Bearer no' }],
      ['GET', '/v1/account', { 'x-project-id': 'other' }],
      ['GET', '/v1/usage'],
      ['GET', '/v1/usage?from=2026-01-01&to=2026-02-01'],
      ['GET', '/v1/usage?from=never'],
      ['GET', '/v1/models'],
      ['GET', '/v1/models/siann-1'],
      ['GET', '/v1/models/other'],
      ['POST', '/v1/audio/transcriptions'],
      ['DELETE', '/v1/account'],
      ['GET', '/v1/nothing'],
    ];
    for (const [method, path, headers = {}] of requests) {
      const { status, headers: answered, text } = await running.fetch(path, { method, headers });
      assertDescribed({ method, path, status, contentType: String(answered['content-type']), body: text });
    }
  });

  test('does not allow other answers', () => {
    const { assertDescribed } = createOpenApiValidator(document);
    const answer = { method: 'GET', path: '/v1/models', status: 200, contentType: 'application/json' };
    assert.throws(() => assertDescribed({ ...answer, body: '{"object":"list"}' }), /must have required/);
    assert.throws(() => assertDescribed({ ...answer, status: 418, body: '{}' }), /not described/);
    assert.throws(() => assertDescribed({ ...answer, contentType: 'text/html', body: '' }), /not one of/);
    assert.throws(() => assertDescribed({ ...answer, path: '/v1/other', body: '{}' }), /not described/);
  });

  test('is also a page for people that runs and loads nothing', async () => {
    const { status, headers, text } = await running.fetch('/docs/reference', {
      headers: { authorization: '' },
    });
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^']+';/,
    );
    for (const { operationId } of Object.values(document.paths).flatMap((item) => Object.values(item)))
      assert.ok(text.includes(`id="${operationId}"`), operationId);
    assert.match(text, /curl https:\/\/localhost:\d+\/v1\/audio\/transcriptions \\\n/);
    assert.doesNotMatch(text, /<script|src=|undefined|\[object/);
  });
});
