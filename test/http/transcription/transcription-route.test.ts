import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { openRouteApp, recordedLease, scriptedRecogniser } from './route-app.ts';
import {
  errorOf,
  type Field,
  formBody,
  openSocket,
  post,
  requestHead,
  speech,
  transcribe,
  until,
} from './upload-client.ts';

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

test('speakers are told apart in every format when the request asks for it', async () => {
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

test('fields reach the recogniser, whether they come before or after the file', async () => {
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
  assert.equal(recogniser.runs.length, 3, 'a form that comes at once is recognised once');
});

test('a client with Expect: 100-continue gets the answer of the gate before it sends its body', async () => {
  let admitted = true;
  await using app = await openRouteApp({
    admit: async () => {
      if (!admitted) throw new ServiceError('invalid_api_key');
      return recordedLease();
    },
  });
  const body = formBody([model, file]);
  const head = requestHead(body.length, 'Expect: 100-continue\r\n');
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
    socket.write(requestHead(body.length));
    socket.write(body);
    await until(() => received.endsWith('}'));
    assert.equal(received.slice(9, 12), String(status));
  }
  socket.destroy();
});
