/** Every error of the contract and of the decisions about it, provoked over TLS: one row each. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createOpenApiValidator,
  type OpenApiValidator,
} from '../../bench/hostile/inputs/openapi-validator.ts';
import { fixture } from '../../evaluation/spoken-files.ts';
import { plans } from '../../src/accounts/projects/plans.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { OpenApiDocument } from '../../src/http/docs/openapi.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { scriptedRecogniser } from '../http/transcription/route-app.ts';
import { type Field, formBody } from '../http/transcription/upload-client.ts';
import { openRaw } from '../support/raw-connection.ts';
import { silentRecogniser, startService, type TestResponse, type TestService } from '../support/service.ts';

type Provoked = TestResponse & { method?: string; path?: string };
type Row = {
  when: string;
  status: number;
  type: string;
  code: string;
  param?: string;
  /** Headers that must be there, and what they look like. */
  headers?: Record<string, RegExp>;
  provoke(): Promise<Provoked>;
};

const upload = '/v1/audio/transcriptions';
const waits = /^[1-9]\d*$/;
const retryHeaders = { 'x-ratelimit-retry-after': waits, 'retry-after': waits, 'retry-after-ms': waits };
const invalid = 'invalid_request_error';
const unauthorized = {
  status: 401,
  type: invalid,
  code: 'invalid_api_key',
  headers: { 'www-authenticate': /^Bearer$/ },
};

let running: TestService;
let proxied: TestService;
let described: OpenApiValidator;
const held = createHolding();

before(async () => {
  const tight = { quotaMinutes: 0.05, requestsPerSecond: 1000, concurrentConnections: 1 };
  const slow = { quotaMinutes: 1000, requestsPerSecond: 1, concurrentConnections: 1 };
  running = await startService({
    recogniser: held.recogniser,
    env: { SIANN_MAX_TRANSCRIPTIONS: '2' },
    plans: { ...plans, free: tight, basic: slow },
  });
  proxied = await startService({ env: { SIANN_TLS: 'proxy' } });
  described = createOpenApiValidator((await running.fetch('/v1/openapi.json')).json() as OpenApiDocument);
});
after(async () => {
  held.release();
  await running[Symbol.asyncDispose]();
  await proxied[Symbol.asyncDispose]();
});

const rows: Row[] = [
  {
    when: 'the file is no audio',
    status: 400,
    type: invalid,
    code: 'invalid_file_format',
    param: 'file',
    provoke: () => transcribe({ file: Buffer.from('<html>') }),
  },
  {
    when: 'the audio is longer than 4 hours',
    status: 400,
    type: invalid,
    code: 'file_too_large',
    param: 'file',
    provoke: () => transcribe({ file: flacSaying(4 * 3600 + 1) }),
  },
  {
    when: 'there is no file',
    status: 400,
    type: invalid,
    code: 'missing_file',
    param: 'file',
    provoke: () => transcribe({ file: undefined }),
  },
  {
    when: 'a field has a value that is not allowed',
    status: 400,
    type: invalid,
    code: 'invalid_value',
    param: 'temperature',
    provoke: () => transcribe({ fields: [['temperature', '7']] }),
  },
  {
    when: 'the query has one',
    status: 400,
    type: invalid,
    code: 'invalid_value',
    param: 'from',
    provoke: () => get('/v1/usage?from=tomorrow'),
  },
  {
    when: 'the form is cut short',
    status: 400,
    type: invalid,
    code: 'invalid_multipart',
    provoke: () => post({ body: formBody([['model', 'siann-1']]).subarray(0, 30) }),
  },
  { when: 'there is no key', ...unauthorized, provoke: () => get('/v1/account', { authorization: '' }) },
  {
    when: 'the key is malformed',
    ...unauthorized,
    provoke: () => get('/v1/account', { authorization: 'Bearer sk_live_short' }),
  },
  {
    when: 'nobody has the key',
    ...unauthorized,
    provoke: () => get('/v1/account', { authorization: `Bearer sk_live_${'a'.repeat(32)}` }),
  },
  {
    when: 'the key is of the other environment',
    ...unauthorized,
    provoke: () => get('/v1/account', { authorization: `Bearer ${running.keys.test}` }),
  },
  {
    when: 'the key was revoked',
    ...unauthorized,
    provoke: async () => {
      const { id, key } = await createKey('enterprise');
      await running.service.accounts.keys.revoke(id);
      return get('/v1/account', { authorization: `Bearer ${key}` });
    },
  },
  {
    when: 'the key was regenerated',
    ...unauthorized,
    provoke: async () => {
      const { id, key } = await createKey('enterprise');
      await running.service.accounts.keys.regenerate(id);
      return get('/v1/account', { authorization: `Bearer ${key}` });
    },
  },
  {
    when: 'the address is not on the allow-list',
    status: 403,
    type: 'permission_error',
    code: 'ip_not_allowed',
    provoke: async () => {
      const { key, project } = await createKey('enterprise');
      await running.service.accounts.projects.setAllow(project.id, ['192.0.2.0/24']);
      return get('/v1/account', { authorization: `Bearer ${key}` });
    },
  },
  {
    when: 'a signature is required and missing',
    status: 403,
    type: 'permission_error',
    code: 'invalid_signature',
    provoke: async () => {
      const { id, key } = await createKey('enterprise');
      await running.service.accounts.keys.requireSignature(id);
      return get('/v1/account', { authorization: `Bearer ${key}` });
    },
  },
  {
    when: 'the proxy was spoken to over plain HTTP',
    status: 403,
    type: 'permission_error',
    code: 'https_required',
    provoke: () => askPlainly('/v1/account'),
  },
  {
    when: 'the project is not the key’s own',
    status: 404,
    type: 'not_found_error',
    code: 'project_not_found',
    provoke: () => get('/v1/account', { 'x-project-id': 'proj_another' }),
  },
  {
    when: 'there is no such model',
    status: 404,
    type: 'not_found_error',
    code: 'model_not_found',
    param: 'model',
    provoke: () => transcribe({ model: 'whisper-1' }),
  },
  {
    when: 'there is nothing at the address',
    status: 404,
    type: 'not_found_error',
    code: 'not_found',
    provoke: () => get('/v1/nothing'),
  },
  {
    when: 'the method is another',
    status: 405,
    type: invalid,
    code: 'method_not_allowed',
    headers: { allow: /^OPTIONS, POST$/ },
    provoke: () => get(upload),
  },
  {
    when: 'the file is larger than 100 MB',
    status: 413,
    type: invalid,
    code: 'file_too_large',
    param: 'file',
    provoke: () => declare(200 * 2 ** 20),
  },
  {
    when: 'the body is no form',
    status: 415,
    type: invalid,
    code: 'unsupported_media_type',
    provoke: () => post({ body: Buffer.from('{}'), headers: { 'content-type': 'application/json' } }),
  },
  {
    when: 'a second’s requests are used up',
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
    headers: retryHeaders,
    provoke: async () => {
      const { key } = await createKey('basic');
      const headers = { authorization: `Bearer ${key}` };
      const answers = await Promise.all([get('/v1/models', headers), get('/v1/models', headers)]);
      return answers.find(({ status }) => status !== 200)!;
    },
  },
  {
    when: 'all permits of the key are taken',
    status: 429,
    type: 'rate_limit_error',
    code: 'concurrency_exceeded',
    headers: retryHeaders,
    provoke: async () => {
      const { key } = await createKey('free');
      await using _busy = await held.hold(() => transcribe({ key, prompt: 'hold' }));
      return await transcribe({ key });
    },
  },
  {
    when: 'the minutes of the month are used up',
    status: 429,
    type: 'rate_limit_error',
    code: 'quota_exceeded',
    headers: { ...retryHeaders, 'x-should-retry': /^false$/ },
    // A file of 3.675 s, of which 3 s are left.
    provoke: async () => transcribe({ key: (await createKey('free')).key }),
  },
  {
    when: 'the recogniser fails',
    status: 500,
    type: 'server_error',
    code: 'internal_error',
    provoke: async () => {
      const answer = await transcribe({ prompt: 'fail' });
      assert.doesNotMatch(answer.text, /secret/);
      const line = running.logged.find(({ requestId, msg }) => {
        return requestId === answer.headers['x-request-id'] && msg === 'request failed';
      });
      assert.match(JSON.stringify(line), /a secret/);
      return answer;
    },
  },
  {
    when: 'the service has all the work that it takes',
    status: 503,
    type: 'server_error',
    code: 'overloaded',
    headers: { 'retry-after': waits },
    provoke: async () => {
      await using _one = await held.hold(() => transcribe({ prompt: 'hold' }));
      await using _two = await held.hold(() => transcribe({ prompt: 'hold' }));
      return await transcribe({});
    },
  },
  {
    when: 'the service is being stopped',
    status: 503,
    type: 'server_error',
    code: 'shutting_down',
    headers: { 'retry-after': waits, connection: /^close$/ },
    provoke: async () => {
      // Somebody who is connected already: nobody else gets that far.
      await using connection = await openRaw(running.ports.live, running.ca);
      await using _busy = await held.hold(() => transcribe({ prompt: 'hold' }));
      const drained = running.service.drain();
      const { live } = running.keys;
      connection.send(`GET /v1/account HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${live}\r\n\r\n`);
      const answer = parseRaw(await connection.until(/\}\}$/), '/v1/account');
      held.release();
      await drained;
      return answer;
    },
  },
];

describe('each error as the contract has it', () => {
  for (const { when, status, type, code, param, headers = {}, provoke } of rows) {
    test(`${status} ${code}: ${when}`, async () => {
      const answer = await provoke();
      const { error } = answer.json() as { error: Record<string, string> };
      assert.deepEqual(
        { status: answer.status, type: error.type, code: error.code, param: error.param },
        { status, type, code, param },
        answer.text,
      );
      assert.match(error.message!, /^\S+ .*\.$/, 'a sentence');
      assert.match(String(answer.headers['x-request-id']), /^req_[0-9a-f-]{36}$/);
      assert.match(String(answer.headers['content-type']), /^application\/json/);
      for (const [name, pattern] of Object.entries(headers))
        assert.match(String(answer.headers[name]), pattern, name);
      described.assertDescribed({
        method: answer.method ?? 'GET',
        path: answer.path ?? upload,
        status,
        contentType: String(answer.headers['content-type']),
        body: answer.text,
      });
    });
  }

  // No key may do less than another yet, so nothing throws it: what it would be answered with stands in the catalogue.
  test('403 insufficient_permission: as the contract has it, for the first key that may do less', () => {
    const error = new ServiceError('insufficient_permission');
    assert.deepEqual(
      [error.status, error.type, error.wireCode],
      [403, 'permission_error', 'insufficient_permission'],
    );
  });
});

async function get(path: string, headers: Record<string, string> = {}): Promise<Provoked> {
  return { ...(await running.fetch(path, { headers })), path };
}

async function post(given: { body: Uint8Array; headers?: Record<string, string> }): Promise<Provoked> {
  const headers = { 'content-type': 'multipart/form-data; boundary=b', ...given.headers };
  const answer = await running.fetch(upload, { method: 'POST', body: given.body, headers });
  return { ...answer, method: 'POST' };
}

type Upload = {
  file?: Uint8Array | undefined;
  model?: string;
  key?: string;
  prompt?: string;
  fields?: Field[];
};

function transcribe(given: Upload): Promise<Provoked> {
  const { file = fixture('speech-16k.wav'), model = 'siann-1', key, prompt, fields = [] } = given;
  const isMissing = 'file' in given && given.file === undefined;
  const form: Field[] = [['model', model], ...fields, ...(prompt ? [['prompt', prompt] as Field] : [])];
  const body = formBody(isMissing ? form : [...form, ['file', file]]);
  return post({ body, ...(key && { headers: { authorization: `Bearer ${key}` } }) });
}

/** Only the head of an upload: its length says enough. */
async function declare(bytes: number): Promise<Provoked> {
  await using connection = await openRaw(running.ports.live, running.ca);
  const head = ['Host: a', `Authorization: Bearer ${running.keys.live}`, `Content-Length: ${bytes}`];
  const type = 'Content-Type: multipart/form-data; boundary=b';
  connection.send(`POST ${upload} HTTP/1.1\r\n${[...head, type].join('\r\n')}\r\n\r\n`);
  return { ...parseRaw(await connection.until(/\}\}$/), upload), method: 'POST' };
}

async function askPlainly(path: string): Promise<Provoked> {
  await using connection = await openRaw(proxied.ports.live);
  const { live } = proxied.keys;
  connection.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${live}\r\n\r\n`);
  return parseRaw(await connection.until(/\}\}$/), path);
}

function parseRaw(text: string, path: string): Provoked {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((each) => each.split(/: (.*)/, 2)));
  return { status: Number(line.split(' ')[1]), headers, text: body, json: () => JSON.parse(body), path };
}

async function createKey(plan: string) {
  const { projects, keys } = running.service.accounts;
  const project = await projects.create({ name: `errors ${Math.random()}`, plan });
  return { ...(await keys.create({ project: project.id, environment: 'live' })), project };
}

function flacSaying(seconds: number): Uint8Array {
  const bytes = Buffer.from(fixture('speech.flac'));
  // The count of samples, in STREAMINFO's last bytes before the checksum: 36 bits, here of 16 kHz.
  bytes.writeUInt32BE(seconds * 16_000, 22);
  return bytes;
}

/** A recogniser that fails or waits when the prompt tells it to, and otherwise decodes for real. */
function createHolding() {
  const scripted = scriptedRecogniser();
  const waiting: (() => void)[] = [];
  const release = () => {
    for (const resume of waiting.splice(0)) resume();
  };
  const recogniser: Recogniser = {
    ...silentRecogniser(),
    async *transcribe(bytes, options) {
      if (options.prompt === 'fail') throw new Error('a secret');
      if (options.prompt === 'hold') await new Promise<void>((resume) => waiting.push(resume));
      return yield* scripted.transcribe(bytes, options);
    },
  };
  return {
    recogniser,
    release,
    /** Starts the work and waits until it is held; it is let go at the end of the block. */
    async hold(work: () => Promise<unknown>): Promise<AsyncDisposable> {
      const before = waiting.length;
      const done = work();
      while (waiting.length === before) await sleep(5);
      return {
        async [Symbol.asyncDispose]() {
          release();
          await done;
        },
      };
    },
  };
}
