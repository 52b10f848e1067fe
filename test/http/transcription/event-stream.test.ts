import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { openRouteApp, recordedLease, scriptedRecogniser } from './route-app.ts';
import {
  type Answer,
  errorOf,
  type Field,
  formBody,
  openSocket,
  requestHead,
  speech,
  transcribe,
  until,
} from './upload-client.ts';

const form: Field[] = [
  ['model', 'siann-1'],
  ['stream', 'true'],
  ['file', speech],
];

test('a stream sends a delta and a segment for each segment, and then the whole text', async () => {
  const lease = recordedLease();
  await using app = await openRouteApp({ lease });
  const answer = await transcribe(app.port, form);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-accel-buffering'], 'no');
  assert(answer.headers['x-request-id']);
  const events = eventsOf(answer);
  assert.deepEqual(
    events.map(({ type }) => type),
    [...Array(3).fill(['transcript.text.delta', 'transcript.text.segment']).flat(), 'transcript.text.done'],
  );
  assert.deepEqual(events[3], {
    type: 'transcript.text.segment',
    id: 'seg_1',
    start: 1,
    end: 1.9,
    text: 'Sentence 1.',
  });
  assert.deepEqual(events.at(-1), {
    type: 'transcript.text.done',
    text: 'Sentence 0. Sentence 1. Sentence 2.',
    usage: { type: 'duration', seconds: 3.675 },
  });
  assert.deepEqual(lease.settled, [3.675]);
  assert.equal(app.transcribed.length, 1);
});

test('events come while the rest is still being recognised, and comments keep a quiet stream open', async () => {
  let proceed = () => {};
  const last = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const recogniser = scriptedRecogniser(async (second) => (second === 2 ? last : undefined));
  await using app = await openRouteApp({ recogniser, heartbeatMs: 50 });
  const { received, socket } = await send(app.port);
  await until(() => received().includes('"seg_1"') && received().includes(': still at work\n\n'));
  assert(!received().includes('seg_2'));
  proceed();
  await until(() => received().includes('transcript.text.done'));
  socket.destroy();
});

test('a failure before the first event is answered with its status', async () => {
  const recogniser = scriptedRecogniser(async () => {
    throw new ServiceError('overloaded');
  });
  await using app = await openRouteApp({ recogniser });
  const answer = await transcribe(app.port, form);
  assert.deepEqual([answer.status, errorOf(answer).code], [503, 'overloaded']);
  const notAudio = await transcribe(app.port, [
    ...form.slice(0, 2),
    ['file', Buffer.from('GIF89a and more')],
  ]);
  assert.deepEqual([notAudio.status, errorOf(notAudio).code], [400, 'invalid_file_format']);
});

test('a failure after the first event ends the stream with an error event, and what was sent is charged', async () => {
  const lease = recordedLease();
  const recogniser = scriptedRecogniser(async (second) => {
    if (second === 1) throw new TypeError('the secret is 42');
  });
  await using app = await openRouteApp({ recogniser, lease });
  const answer = await transcribe(app.port, form);
  assert.equal(answer.status, 200);
  const last = eventsOf(answer).at(-1);
  assert.equal(last.type, 'error');
  assert.equal(last.error.code, 'internal_error');
  assert.doesNotMatch(answer.body, /42/);
  assert.equal(app.logged.length, 1);
  assert.deepEqual([lease.settledSoFar, lease.settled], [[0.9], []]);
});

test('a segment is charged before it is sent, and is not sent when it cannot be charged', async () => {
  const sent: string[] = [];
  let isAway = false;
  const lease = recordedLease({
    async settleSoFar(seconds) {
      if (isAway) throw new ServiceError('quota_exceeded');
      sent.push(received());
      lease.settledSoFar.push(seconds);
    },
  });
  let received = () => '';
  const recogniser = scriptedRecogniser(async (second) => {
    if (second > 0) await until(() => received().includes(`"seg_${second - 1}"`));
    isAway = second === 2;
  });
  await using app = await openRouteApp({ recogniser, lease });
  ({ received } = await send(app.port));
  await until(() => received().includes('"type":"error"'));
  assert.deepEqual(lease.settledSoFar, [0.9, 1.9]);
  assert.ok(!sent[0]!.includes('seg_0') && !sent[1]!.includes('seg_1'), 'charged first');
  assert.ok(received().includes('"seg_1"') && !received().includes('"seg_2"'));
  assert.match(received(), /quota_exceeded/);
  assert.deepEqual(lease.settled, []);
});

test('revoking the key ends the stream', async () => {
  const lease = recordedLease();
  const recogniser = scriptedRecogniser(async (second, signal) => {
    if (second === 1) await once(signal, 'abort');
  });
  await using app = await openRouteApp({ recogniser, lease });
  const { received } = await send(app.port);
  await until(() => received().includes('seg_0'));
  lease.revoke(new ServiceError('invalid_api_key'));
  await until(() => received().includes('"type":"error"'));
  assert.match(received(), /invalid_api_key/);
  assert.deepEqual(lease.settled, []);
});

test('a slow reader does not delay recognition, and is sent no more than it reads', async () => {
  const recogniser = scriptedRecogniser();
  const many = { ...recogniser, transcribe: manySegments };
  await using app = await openRouteApp({ recogniser: many });
  const { socket } = await send(app.port, { paused: true });
  await until(() => ended);
  await delay(100);
  assert.equal(app.capacity.inFlight(), 1, 'the answer is still under way');
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  // Each text comes three times: as a delta, as a segment, and in the whole text at the end.
  await until(() => bytes > 30_000_000);
  assert.equal(app.capacity.inFlight(), 0);
  socket.destroy();
});

let ended = false;

async function* manySegments(
  ...[bytes, options]: Parameters<ReturnType<typeof scriptedRecogniser>['transcribe']>
) {
  const run = scriptedRecogniser().transcribe(bytes, options);
  const first = await run.next();
  assert(!first.done);
  for await (const _ of run);
  for (let id = 0; id < 1000; id++) yield { ...first.value, id, text: 'x'.repeat(10_000) };
  ended = true;
  return { durationSeconds: 3.675 };
}

function eventsOf({ body }: Answer) {
  return body
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)));
}

async function send(port: number, { paused = false } = {}) {
  const socket = await openSocket(port);
  const body = formBody(form);
  if (paused) socket.pause();
  else socket.on('data', (chunk) => pieces.push(chunk));
  const pieces: Buffer[] = [];
  socket.write(requestHead(body.length));
  socket.write(body);
  return { socket, received: () => Buffer.concat(pieces).toString() };
}
