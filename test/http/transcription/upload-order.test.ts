import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { openRouteApp, recordedLease, scriptedRecogniser } from './route-app.ts';
import { bigWave, errorOf, type Field, formBody, post, speech, until } from './upload-client.ts';

const model: Field = ['model', 'siann-1'];
const file: Field = ['file', speech];

test('recognition begins while bytes of the file are still missing', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  let secondsBeforeTheEnd = 0;
  const answer = await post(app.port, {
    body: inTwo(formBody([model, file]), speech.length - 10_000, async () => {
      await until(() => (recogniser.runs[0]?.seconds ?? 0) >= 3);
      secondsBeforeTheEnd = recogniser.runs[0]!.seconds;
    }),
  });
  assert.equal(answer.status, 200);
  assert(secondsBeforeTheEnd >= 3);
  assert.equal(recogniser.runs.length, 1);
  assert.equal(JSON.parse(answer.body).duration, 3.675);
});

test('recognition goes on when late fields do not change its result', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const late: Field[] = [
    model,
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'segment'],
  ];
  const answer = await post(app.port, { body: withLateFields(formBody([file, ...late]), recogniser) });
  assert.equal(answer.status, 200);
  assert.equal(JSON.parse(answer.body).segments.length, 3);
  assert.equal(recogniser.runs.length, 1);
});

for (const [name, value] of [
  ['language', 'zh-CN'],
  ['prompt', 'a lecture'],
  ['temperature', '0.3'],
  ['hotwords', 'Siann'],
] as const) {
  test(`a late ${name} starts recognition over from the bytes that are held`, async () => {
    const lease = recordedLease();
    const recogniser = scriptedRecogniser();
    await using app = await openRouteApp({ recogniser, lease });
    const answer = await post(app.port, {
      body: withLateFields(formBody([file, model, [name, value]]), recogniser),
    });
    assert.equal(answer.status, 200);
    const [first, second] = recogniser.runs;
    assert.equal(recogniser.runs.length, 2);
    assert(first!.failed !== undefined || first!.ended, 'the first run was cancelled');
    assert.equal(second!.bytes, speech.length);
    assert.equal(JSON.parse(answer.body).segments.length, 3);
    assert.equal(String(second!.options[name]), value);
    assert.deepEqual(lease.settled, [3.675]);
    assert.equal(app.capacity.heldBytes(), 0);
  });
}

test('a late request for speakers tells them apart from the first word on', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const late: Field[] = [model, ['speaker_diarization', 'true'], ['num_speakers', '2']];
  const answer = await post(app.port, { body: withLateFields(formBody([file, ...late]), recogniser) });
  assert.deepEqual(
    recogniser.runs.map(({ options }) => options.speakers),
    [undefined, { count: 2 }],
  );
  assert.equal(JSON.parse(answer.body).segments[0].speaker, 0);
});

test('a late request for word times does not start over when the length was not known', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const late: Field[] = [model, ['response_format', 'verbose_json'], ['timestamp_granularities[]', 'word']];
  const answer = await post(app.port, { body: withLateFields(formBody([file, ...late]), recogniser) });
  assert.equal(JSON.parse(answer.body).words.length, 3);
  assert.equal(recogniser.runs.length, 1);
});

test('a late field that needs a file of more than 32 MB to start over is refused, and the error says what to do', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const long: Field = ['file', await buffer(bigWave(33 * 2 ** 20))];
  const answer = await post(app.port, {
    body: withLateFields(formBody([long, model, ['language', 'en']]), recogniser),
  });
  const error = errorOf(answer);
  assert.deepEqual([answer.status, error.code, error.param], [400, 'invalid_value', 'language']);
  assert.match(error.message, /more than 32 MB. Send it before `file`/);
  assert.equal(app.capacity.heldBytes(), 0);

  const sooner = await post(app.port, {
    body: withLateFields(formBody([['language', 'en'], long, model]), recogniser),
  });
  assert.equal(sooner.status, 200);
});

test('when other uploads hold too much, a late field that needs to start over is answered with overloaded', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser, maxHeldBytes: 65_536 });
  const body = () => withLateFields(formBody([file, model, ['language', 'en']]), recogniser);
  const answer = await post(app.port, { body: body() });
  assert.deepEqual([answer.status, errorOf(answer).code], [503, 'overloaded']);
  const unchanged = await post(app.port, { body: withLateFields(formBody([file, model]), recogniser) });
  assert.equal(unchanged.status, 200);
});

test('a bad field is refused while the file is still coming', { timeout: 30_000 }, async () => {
  await using app = await openRouteApp();
  const answer = await post(app.port, {
    body: inTwo(formBody([['temperature', '7'], file, model]), 50_000, never),
  });
  assert.equal(errorOf(answer).param, 'temperature');
});

test('a file that is no audio is refused while it is still coming, unless its body must be verified first', {
  timeout: 30_000,
}, async () => {
  const form = formBody([model, ['file', Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(200_000)])]]);
  const upload = (between: () => Promise<unknown>) => ({
    headers: { 'content-length': form.length },
    body: inTwo(form, 100_000, between),
  });
  await using app = await openRouteApp();
  assert.equal(errorOf(await post(app.port, upload(never))).code, 'invalid_file_format');

  const recogniser = scriptedRecogniser();
  const lease = recordedLease({
    signed: true,
    verifyBody: async () => {
      throw new ServiceError('invalid_signature');
    },
  });
  await using signing = await openRouteApp({ lease, recogniser });
  const untilItFails = () => until(() => recogniser.runs[0]?.failed !== undefined);
  assert.equal(errorOf(await post(signing.port, upload(untilItFails))).code, 'invalid_signature');
});

test('a file that is no audio and may be too large is read to its end before it is judged', async () => {
  await using app = await openRouteApp();
  const upload = async (bytes: number) =>
    errorOf(
      await post(app.port, {
        body: (async function* () {
          yield formBody([model, ['file', Buffer.alloc(1000)]]).subarray(0, -10);
          await delay(250);
          for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536));
          yield Buffer.from('\r\n--b--\r\n');
        })(),
      }),
    ).code;
  assert.equal(await upload(200_000), 'invalid_file_format');
  assert.equal(await upload(100 * 2 ** 20), 'file_too_large');
});

test('an upload that stops is cut off, and the answer says why', { timeout: 30_000 }, async () => {
  await using app = await openRouteApp({ pace: { idleMs: 300, minimumBytesPerSecond: 0, graceMs: 1000 } });
  const answer = await post(app.port, {
    body: inTwo(formBody([model, file]), 50_000, never),
  });
  assert.equal(answer.status, 400);
  assert.match(errorOf(answer).message, /too slowly/);
});

/** Sends the fields after the file only when recognition has begun. */
function withLateFields(body: Buffer, recogniser: { runs: unknown[] }): AsyncGenerator<Uint8Array> {
  const runs = recogniser.runs.length;
  return inTwo(body, body.lastIndexOf('\r\n--b\r\n', body.length - 8, 'latin1') - 10, () =>
    until(() => recogniser.runs.length > runs),
  );
}

async function* inTwo(body: Buffer, at: number, between: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < at; from += 65_536) yield body.subarray(from, Math.min(at, from + 65_536));
  await between();
  yield body.subarray(at);
}

/** For a body whose rest is never sent. */
function never(): Promise<never> {
  return new Promise(() => {});
}
