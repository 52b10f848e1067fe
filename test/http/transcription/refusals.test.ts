import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { openRouteApp, recordedLease, scriptedRecogniser } from './route-app.ts';
import { errorOf, type Field, formBody, post, speech, transcribe, until } from './upload-client.ts';

const model: Field = ['model', 'siann-1'];
const file: Field = ['file', speech];

const refusals: [string, Field[], number, string, string | undefined, RegExp][] = [
  ['no file', [model], 400, 'missing_file', 'file', /form field `file`/],
  ['a file as text', [model, ['file', 'talk.mp3']], 400, 'missing_file', 'file', /-F file=@talk.mp3/],
  ['two files', [model, file, file], 400, 'invalid_multipart', 'file', /one file/],
  ['no model', [file], 400, 'invalid_value', 'model', /siann-1/],
  ['another model', [file, ['model', 'whisper-1']], 404, 'model_not_found', 'model', /siann-1/],
  ['a bad value', [model, ['temperature', '2'], file], 400, 'invalid_value', 'temperature', /0 to 1/],
  ['a long value', [model, ['prompt', 'x'.repeat(65_537)], file], 400, 'invalid_value', 'prompt', /64 KB/],
  [
    'no audio',
    [model, ['file', Buffer.from('%PDF-1.7 this is no audio')]],
    400,
    'invalid_file_format',
    'file',
    /mp3/,
  ],
  ['an empty file', [model, ['file', new Uint8Array()]], 400, 'invalid_file_format', 'file', /mp3/],
  [
    'too many parts',
    Array.from({ length: 101 }, (): Field => ['x', 'y']),
    400,
    'invalid_multipart',
    undefined,
    /100/,
  ],
];
for (const [what, form, status, code, param, message] of refusals) {
  test(`${what}: ${status} ${code}, nothing charged`, async () => {
    const lease = recordedLease();
    await using app = await openRouteApp({ lease });
    const answer = await transcribe(app.port, form);
    const error = errorOf(answer);
    assert.deepEqual([answer.status, error.code, error.param], [status, code, param]);
    assert.match(error.message, message);
    assert.deepEqual(lease.settled, []);
    assert.equal(app.capacity.inFlight(), 0);
    assert.deepEqual(app.logged, []);
  });
}

test('unknown fields are ignored, whatever their size', async () => {
  await using app = await openRouteApp();
  const answer = await transcribe(app.port, [
    ['include[]', 'x'.repeat(200_000)],
    model,
    file,
    ['user', 'me'],
  ]);
  assert.equal(answer.status, 200);
});

const wrongHeaders: [string, Record<string, string>, number, string][] = [
  ['json', { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
  ['no content type', { 'content-type': '' }, 415, 'unsupported_media_type'],
  [
    'an unknown content type',
    { 'content-type': 'multipart/form-datax; boundary=b' },
    415,
    'unsupported_media_type',
  ],
  ['a compressed body', { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
  ['no boundary', { 'content-type': 'multipart/form-data' }, 400, 'invalid_multipart'],
  ['an empty boundary', { 'content-type': 'multipart/form-data; boundary=""' }, 400, 'invalid_multipart'],
  ['another boundary', { 'content-type': 'multipart/form-data; boundary=c' }, 400, 'invalid_multipart'],
];
for (const [what, headers, status, code] of wrongHeaders) {
  test(`${what}: ${status} ${code}`, async () => {
    await using app = await openRouteApp();
    const answer = await transcribe(app.port, [model, file], headers);
    assert.deepEqual([answer.status, errorOf(answer).code], [status, code]);
  });
}

test('a body that ends before its form does is invalid_multipart', async () => {
  await using app = await openRouteApp();
  const body = formBody([model, file]);
  for (const end of [0, 30, 1000, body.length - 5]) {
    const answer = await post(app.port, { body: body.subarray(0, end) });
    assert.deepEqual([answer.status, errorOf(answer).code], [400, 'invalid_multipart']);
  }
});

test('a quota that runs out during a file is quota_exceeded, and nothing is charged', async () => {
  const lease = recordedLease({
    reserve: async (seconds) => {
      if (seconds > 2) throw new ServiceError('quota_exceeded', { retryAfterSeconds: 3600 });
    },
  });
  await using app = await openRouteApp({ lease });
  const answer = await transcribe(app.port, [model, file]);
  assert.deepEqual([answer.status, errorOf(answer).code], [429, 'quota_exceeded']);
  assert.equal(answer.headers['retry-after'], '3600');
  assert.deepEqual(lease.settled, []);
});

test('transcriptions beyond the limit of the process are asked to try again later', async () => {
  let proceed = () => {};
  const gate = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  await using app = await openRouteApp({ recogniser: scriptedRecogniser(() => gate), maxTranscriptions: 1 });
  const first = transcribe(app.port, [model, file]);
  await until(() => app.capacity.inFlight() === 1);
  const second = await transcribe(app.port, [model, file]);
  assert.deepEqual([second.status, errorOf(second).code], [503, 'overloaded']);
  assert.equal(second.headers['retry-after'], '2');
  proceed();
  assert.equal((await first).status, 200);
  assert.equal((await transcribe(app.port, [model, file])).status, 200);
});

test('a failure of the service is internal_error and reveals nothing', async () => {
  const lease = recordedLease();
  const recogniser = scriptedRecogniser(async () => {
    throw new TypeError('the secret is 42');
  });
  await using app = await openRouteApp({ recogniser, lease });
  const answer = await transcribe(app.port, [model, file]);
  assert.deepEqual([answer.status, errorOf(answer).code], [500, 'internal_error']);
  assert.doesNotMatch(answer.body, /42/);
  assert.equal(app.logged.length, 1);
  assert.deepEqual(lease.settled, []);
});
