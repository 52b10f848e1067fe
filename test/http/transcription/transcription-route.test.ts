import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors/service-error.ts';
import {
  errorOf,
  type Field,
  formBody,
  openRouteApp,
  openSocket,
  post,
  recordedLease,
  scriptedRecogniser,
  speech,
  transcribe,
  until,
  url,
} from './route-app.ts';

const model: Field = ['model', 'siann-1'];
const file: Field = ['file', speech];

test('a file is answered with the whole transcript, and charged for its length', async () => {
  const lease = recordedLease();
  await using app = await openRouteApp({ lease });
  const answer = await transcribe(app.port, [model, file]);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.deepEqual(JSON.parse(answer.body), {
    task: 'transcribe',
    duration: 3.675,
    text: 'Sentence 0. Sentence 1. Sentence 2.',
    segments: [0, 1, 2].map((id) => ({ id, start: id, end: id + 0.9, text: `Sentence ${id}.` })),
  });
  assert.deepEqual(lease.settled, [3.675]);
  assert.equal(lease.reserved.at(-1), 3.675);
  assert.equal(app.transcribed.length, 1);
  assert.equal(app.transcribed[0]?.audioSeconds, 3.675);
  assert.equal(app.capacity.inFlight(), 0);
  assert.equal(app.capacity.heldBytes(), 0);
});

test('speakers are told apart when that is asked for, in every format', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const ask = (...fields: Field[]) => transcribe(app.port, [model, ...fields, file]);
  const json = JSON.parse((await ask(['speaker_diarization', 'true'], ['num_speakers', '2'])).body);
  assert.equal(json.num_speakers, 2);
  assert.deepEqual(
    json.segments.map(({ speaker }: { speaker?: number }) => speaker),
    [0, 1, 0],
  );
  assert.deepEqual(recogniser.runs[0]?.options.speakers, { count: 2 });
  const diarized = JSON.parse((await ask(['response_format', 'diarized_json'])).body);
  assert.deepEqual([diarized.num_speakers, diarized.segments[1].speaker], [2, 1]);
  const speakers: Field = ['speaker_diarization', 'true'];
  assert.match((await ask(speakers, ['response_format', 'srt'])).body, /\nSpeaker 2: Sentence 1\./);
  assert.match((await ask(speakers, ['response_format', 'vtt'])).body, /\n<v Speaker 2>Sentence 1\./);
  assert.match((await ask(speakers, ['stream', 'true'])).body, /"text":"Sentence 1\.","speaker":1/);
  const plain = JSON.parse((await ask(['speaker_diarization', 'false'])).body);
  assert.equal('num_speakers' in plain || 'speaker' in plain.segments[0], false);
});

test('each format has its content type', async () => {
  await using app = await openRouteApp();
  for (const [format, contentType, start] of [
    ['text', 'text/plain; charset=utf-8', 'Sentence 0. Sentence 1.'],
    ['srt', 'text/plain; charset=utf-8', '1\n00:00:00,000 --> 00:00:00,900\nSentence 0.'],
    ['vtt', 'text/vtt; charset=utf-8', 'WEBVTT\n\n00:00:00.000 --> 00:00:00.900\nSentence 0.'],
    ['verbose_json', 'application/json; charset=utf-8', '{"task":"transcribe","duration":3.675,'],
    ['diarized_json', 'application/json; charset=utf-8', '{"task":"transcribe","duration":3.675,'],
  ] as const) {
    const answer = await transcribe(app.port, [model, ['response_format', format], file]);
    assert.equal(answer.headers['content-type'], contentType);
    assert.equal(answer.body.slice(0, start.length), start);
  }
  const text = await transcribe(app.port, [file, model], { accept: 'text/plain' });
  assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8');
});

test('fields reach the recogniser, whichever side of the file they are on', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const fields: Field[] = [
    model,
    ['language', 'zh-CN'],
    ['prompt', '聲學'],
    ['hotwords[]', 'a'],
    ['hotwords[]', 'b'],
    ['temperature', '0.5'],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
  ];
  for (const form of [
    [...fields, file],
    [file, ...fields],
    [...fields.slice(0, 4), file, ...fields.slice(4)],
  ]) {
    const answer = await transcribe(app.port, form);
    assert.equal(answer.status, 200, answer.body);
    const { language, prompt, hotwords, temperature, words } = recogniser.runs.at(-1)!.options;
    assert.deepEqual(
      { language, prompt, hotwords, temperature, words },
      { language: 'zh-CN', prompt: '聲學', hotwords: ['a', 'b'], temperature: 0.5, words: true },
    );
    const body = JSON.parse(answer.body);
    assert.equal(body.words.length, 3);
    assert.equal('segments' in body, false);
  }
  assert.equal(recogniser.runs.length, 3, 'a form that is all there is recognised once');
});

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

test('unknown fields are passed over, whatever their size', async () => {
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
    'a type that is none',
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

test('a client that asks before it sends is answered by the gate first', async () => {
  let admitted = true;
  await using app = await openRouteApp({
    admit: async () => {
      if (!admitted) throw new ServiceError('invalid_api_key');
      return recordedLease();
    },
  });
  const body = formBody([model, file]);
  const head = `POST ${url} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`;
  const first = await openSocket(app.port);
  first.write(head);
  assert.match(String((await once(first, 'data'))[0]), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  first.write(body);
  assert.match(String((await once(first, 'data'))[0]), /^HTTP\/1\.1 200 OK/);
  first.destroy();

  admitted = false;
  const second = await openSocket(app.port);
  second.write(head);
  assert.match(String((await once(second, 'data'))[0]), /^HTTP\/1\.1 401 Unauthorized/);
  second.destroy();
});

test('a signed body is verified before anything is answered', async () => {
  const body = formBody([model, file]);
  const lease = recordedLease({ signed: true });
  await using app = await openRouteApp({ lease });
  assert.equal((await post(app.port, { body })).status, 200);
  assert.deepEqual(lease.hashes, [createHash('sha256').update(body).digest('hex')]);

  for (const stream of ['true', 'false']) {
    const refusing = recordedLease({
      signed: true,
      verifyBody: async () => {
        throw new ServiceError('invalid_signature');
      },
    });
    await using other = await openRouteApp({ lease: refusing });
    const answer = await transcribe(other.port, [['stream', stream], model, file]);
    assert.deepEqual([answer.status, errorOf(answer).code], [403, 'invalid_signature']);
    const notAudio = await transcribe(other.port, [
      ['stream', stream],
      model,
      ['file', Buffer.from('GIF89a.....')],
    ]);
    assert.equal(notAudio.status, 403);
    assert.deepEqual(refusing.settled, []);
  }
});

test('a quota that ends in mid-file is quota_exceeded, and nothing is charged', async () => {
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

test('more transcriptions than the process takes are told to come back', async () => {
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

test('a failure inside is internal_error and reveals nothing', async () => {
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

test('a connection can be used again after an answer and after a refusal', async () => {
  await using app = await openRouteApp();
  const socket = await openSocket(app.port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const good = formBody([model, file]);
  const bad = formBody([['temperature', '9'], model, file]);
  for (const [body, status] of [
    [good, 200],
    [bad, 400],
    [good, 200],
  ] as const) {
    received = '';
    socket.write(
      `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`,
    );
    socket.write(body);
    await until(() => received.endsWith('}'));
    assert.equal(received.slice(9, 12), String(status));
  }
  socket.destroy();
});
