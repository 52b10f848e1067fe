import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../support/service.ts';
import { connectStream, finalsOf, type Refusal, silence } from '../../support/stream-client.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const usedMinutes = async () =>
  ((await service.fetch('/v1/usage')).json() as { currentMonth: number }).currentMonth;

test('a stream begins, sends partials and finals, and ends with its cost', async () => {
  const before = await usedMinutes();
  await using client = await connectStream(service);
  const begin = await client.until(({ type }) => type === 'session.begin');
  assert.match(begin.session_id, /^req_/);
  assert.equal(client.headers['x-request-id'], begin.session_id);
  assert.deepEqual(begin.config, {
    language: 'mixed',
    encoding: 'LINEAR16',
    sample_rate: 16_000,
    interim_results: true,
    speaker_diarization: false,
    endpointing_ms: 500,
    words: false,
    hotwords: [],
  });
  for (let frame = 0; frame < 60; frame++) client.send(silence(0.1));
  client.send({ type: 'close' });
  assert.deepEqual(await client.closed, { code: 1000, reason: 'closed_by_client' });
  const finals = finalsOf(client.messages);
  assert.deepEqual(
    finals.map(({ text, start, end }) => ({ text, start, end })),
    [
      { text: 'word0 word1 word2 word3', start: 0, end: 4 },
      { text: 'word4 word5', start: 4, end: 6 },
    ],
  );
  assert.ok(client.messages.some(({ type, is_final }) => type === 'transcript' && !is_final));
  assert.deepEqual(client.messages.at(-1), {
    type: 'session.end',
    reason: 'closed_by_client',
    audio_seconds: 6,
    billed_seconds: 6,
  });
  assert.equal(Math.round(((await usedMinutes()) - before) * 60), 6);
});

test('parameters may have the names of other services, and an unknown one is a warning', async () => {
  const path =
    '/v1/speech/realtime?languageCode=zh-tw&sample_rate_hertz=8000&encoding=pcmu&interimResults=false&hotwords=聲,Siann&foo=1&endpointing_ms=300&words=true';
  await using client = await connectStream(service, { path });
  const begin = await client.until(({ type }) => type === 'session.begin');
  assert.deepEqual(begin.config, {
    language: 'zh-TW',
    encoding: 'MULAW',
    sample_rate: 8000,
    interim_results: false,
    speaker_diarization: false,
    endpointing_ms: 300,
    words: true,
    hotwords: ['聲', 'Siann'],
  });
  const warning = await client.until(({ type }) => type === 'warning');
  assert.equal(warning.code, 'unknown_parameter');
  assert.match(warning.message, /`foo`/);
});

test('every error before the upgrade is answered as HTTP', async () => {
  const refused = async (query: string, options = {}) => {
    const path = `/v1/speech/realtime${query}`;
    const refusal: Refusal = await connectStream(service, { path, ...options }).then(
      () => assert.fail(`${query} was let in`),
      (error) => error,
    );
    assert.match(String(refusal.headers['x-request-id']), /^req_/);
    assert.ok(refusal.body.error.message.length > 10);
    return [refusal.status, refusal.body.error.code, refusal.body.error.param];
  };
  for (const [query, param] of [
    ['?sample_rate=7999', 'sample_rate'],
    ['?sample_rate=48001', 'sample_rate'],
    ['?sample_rate=16000.5', 'sample_rate'],
    ['?sampleRate=8000&sample_rate=8000', 'sample_rate'],
    ['?language=fr-FR', 'language'],
    ['?encoding=OPUS', 'encoding'],
    ['?interim_results=maybe', 'interim_results'],
    ['?endpointing_ms=5', 'endpointing_ms'],
    ['?speaker_diarization=true', 'speaker_diarization'],
  ] as const) {
    assert.deepEqual(await refused(query), [400, 'invalid_value', param], query);
  }
  assert.deepEqual(await refused('', { anonymous: true }), [401, 'invalid_api_key', undefined]);
  const otherKey = { headers: { authorization: `Bearer ${service.keys.test}` } };
  assert.deepEqual(await refused('', otherKey), [401, 'invalid_api_key', undefined]);
  assert.deepEqual(await refused(`?token=${service.keys.live}`), [401, 'invalid_api_key', undefined]);
  const project = { headers: { 'x-project-id': 'proj_other' } };
  assert.deepEqual(await refused('', project), [404, 'project_not_found', undefined]);
  const page = { headers: { origin: 'https://elsewhere.example' } };
  assert.deepEqual(await refused('', page), [403, 'insufficient_permission', undefined]);

  const plain = await service.fetch('/v1/speech/realtime');
  assert.equal(plain.status, 400);
  assert.match(plain.text, /WebSocket client/);
  const posted = await service.fetch('/v1/speech/realtime', { method: 'POST' });
  assert.equal(posted.status, 405);
});

test('a message that cannot be read ends the stream with an explanation', async () => {
  const cases: [name: string, send: string | Uint8Array | object, code: number, reason: string][] = [
    ['no JSON', 'hello', 1007, 'bad_message'],
    ['unknown message', { type: 'hello' }, 1007, 'bad_message'],
    ['JSON null', 'null', 1007, 'bad_message'],
    ['large frame', new Uint8Array(256 * 1024 + 1), 1009, 'frame_too_large'],
    ['huge frame', new Uint8Array(5 * 1024 * 1024), 1009, 'frame_too_large'],
  ];
  for (const [name, message, code, reason] of cases) {
    await using client = await connectStream(service);
    client.send(silence(0.5));
    client.send(message);
    assert.deepEqual(await client.closed, { code, reason }, name);
    const [error, end] = client.messages.slice(-2);
    assert.equal(error.type, 'error', name);
    assert.ok(error.error.message.endsWith('.'), name);
    assert.equal(end.type, 'session.end', name);
    assert.equal(end.reason, reason, name);
  }
});

test('an empty frame means close, and a frame of 256 KiB is accepted', async () => {
  await using client = await connectStream(service);
  client.send(new Uint8Array(256 * 1024));
  client.send(new Uint8Array(0));
  assert.equal((await client.closed).code, 1000);
  assert.equal(client.messages.at(-1).audio_seconds, 8.192);
});
