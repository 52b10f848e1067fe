import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { maxBodyBytes, maxFileBytes } from '../../../src/http/transcription/upload/upload-limits.ts';
import { collectedBytes } from '../../support/collected-memory.ts';
import { openRouteApp, recordedLease, scriptedRecogniser } from './route-app.ts';
import { bigWave, errorOf, formBody, openSocket, post, requestHead, until } from './upload-client.ts';

const head = formBody([
  ['model', 'siann-1'],
  ['file', new Uint8Array()],
]);
const end = Buffer.from('\r\n--b--\r\n');
const opening = head.subarray(0, head.length - end.length);

test('a wave file of exactly 100 MB is accepted, and is not held in memory', async () => {
  const lease = recordedLease();
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser, lease });
  const memory = measureMemory();
  const answer = await post(app.port, {
    headers: { 'content-length': opening.length + maxFileBytes + end.length },
    body: wave(maxFileBytes),
  });
  assert.equal(answer.status, 200, answer.body);
  assert.equal(recogniser.runs[0]!.bytes, maxFileBytes);
  assert.deepEqual(lease.settled, [2]);
  const grown = memory.grownMegabytes();
  assert(grown < 100, `${grown} MB more`);
});

test('a file of one byte more is file_too_large as soon as that byte comes, also without a Content-Length', async () => {
  const lease = recordedLease();
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser, lease });
  const memory = measureMemory();
  let sent = 0;
  const answer = await post(app.port, {
    body: (async function* () {
      for await (const chunk of wave(2 * maxFileBytes)) {
        sent += chunk.length;
        yield chunk;
      }
    })(),
  });
  assert.deepEqual(
    [answer.status, errorOf(answer).code, errorOf(answer).param],
    [413, 'file_too_large', 'file'],
  );
  assert(sent < maxFileBytes + 20e6, `${sent} bytes were sent`);
  await until(() => recogniser.runs[0]!.ended);
  assert.deepEqual(lease.settled, []);
  assert.equal(app.capacity.heldBytes(), 0);
  const grown = memory.grownMegabytes();
  assert(grown < 100, `${grown} MB more`);

  const exact = await post(app.port, {
    headers: { 'content-length': opening.length + maxFileBytes + 1 + end.length },
    body: wave(maxFileBytes + 1),
  });
  assert.equal(exact.status, 413);
});

test('a Content-Length that is too large is refused before a byte of the body is read', async () => {
  const recogniser = scriptedRecogniser();
  await using app = await openRouteApp({ recogniser });
  const socket = await openSocket(app.port);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(requestHead(maxBodyBytes + 1));
  await until(() => received.endsWith('}}'));
  assert.match(received, /^HTTP\/1\.1 413 /);
  socket.destroy();
  assert.equal(recogniser.runs.length, 0);
});

test('a file whose header says more than 4 hours is refused while it is still being sent', async () => {
  const lease = recordedLease();
  await using app = await openRouteApp({ lease });
  const flac = fixture('speech.flac');
  // The number of samples (36 bits) stands before the checksum at the end of STREAMINFO. The rate here is 16 kHz.
  Buffer.from(flac.buffer).writeUInt32BE((4 * 3600 + 1) * 16_000, 22);
  let cut = false;
  const answer = await post(app.port, {
    body: (async function* () {
      yield opening;
      yield flac.subarray(0, 20_000);
      await delay(3_000, undefined, { ref: false });
      cut = true;
    })(),
  });
  assert.deepEqual(
    [answer.status, errorOf(answer).code, errorOf(answer).param],
    [400, 'file_too_large', 'file'],
  );
  assert.match(errorOf(answer).message, /4 hours/);
  assert(!cut);
  assert.deepEqual(lease.settled, []);
});

async function* wave(fileBytes: number): AsyncGenerator<Uint8Array> {
  yield opening;
  yield* bigWave(fileBytes);
  yield end;
}

/** How much the memory of the process has grown at its peak. */
function measureMemory() {
  const before = collectedBytes();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, collectedBytes());
  }, 100);
  return {
    /** The growth until now. This ends the measurement. */
    grownMegabytes() {
      clearInterval(timer);
      return Math.round((peak - before) / 1e6);
    },
  };
}
