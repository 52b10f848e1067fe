import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { openRouteApp, recordedLease, scriptedRecogniser } from './route-app.ts';
import { type Field, formBody, openSocket, requestHead, speech, transcribe, until } from './upload-client.ts';

const form: Field[] = [
  ['model', 'siann-1'],
  ['file', speech],
];

for (const [how, leave] of Object.entries({
  closes: (socket: Socket) => socket.end(),
  vanishes: (socket: Socket) => socket.resetAndDestroy(),
})) {
  test(`a client that ${how} while it waits stops the work at once and is not charged`, async () => {
    const lease = recordedLease();
    const recogniser = waitingRecogniser();
    await using app = await openRouteApp({ recogniser, lease });
    const socket = await sendHead(app.port, formBody(form).length);
    socket.write(formBody(form));
    await until(() => (recogniser.runs[0]?.seconds ?? 0) >= 1);
    leave(socket);
    await until(() => recogniser.runs[0]!.ended && app.capacity.inFlight() === 0, 1000);
    assert.deepEqual(lease.settled, []);
    assert.equal(app.capacity.heldBytes(), 0);
    assert.deepEqual(app.logged, []);
  });

  test(`a client that ${how} during the upload stops the work at once and is not charged`, async () => {
    const lease = recordedLease();
    const recogniser = scriptedRecogniser();
    await using app = await openRouteApp({ recogniser, lease });
    const body = formBody(form);
    const socket = await sendHead(app.port, body.length);
    socket.write(body.subarray(0, 80_000));
    await until(() => (recogniser.runs[0]?.seconds ?? 0) >= 1);
    leave(socket);
    await until(() => recogniser.runs[0]!.ended && app.capacity.inFlight() === 0, 1000);
    assert.deepEqual(lease.settled, []);
    assert.deepEqual(app.logged, []);
  });
}

test('a client that goes away while it gets events pays for those that it was sent', async () => {
  const lease = recordedLease();
  const recogniser = scriptedRecogniser(async (second, signal) => {
    if (second === 1) await once(signal, 'abort');
  });
  await using app = await openRouteApp({ recogniser, lease });
  const body = formBody([['stream', 'true'], ...form]);
  const socket = await sendHead(app.port, body.length);
  socket.write(body);
  let received = '';
  socket.on('data', (piece) => {
    received += piece;
  });
  await until(() => received.includes('"seg_0"'));
  socket.destroy();
  await until(() => recogniser.runs[0]!.ended && app.capacity.inFlight() === 0, 1000);
  assert.deepEqual([lease.settledSoFar, lease.settled], [[0.9], []]);
  assert.deepEqual(app.logged, []);
});

test('revoking the key stops the work, and the answer says why', async () => {
  const lease = recordedLease();
  const recogniser = waitingRecogniser();
  await using app = await openRouteApp({ recogniser, lease });
  const answer = transcribe(app.port, form);
  await until(() => recogniser.runs.length === 1);
  lease.revoke(new ServiceError('invalid_api_key'));
  assert.equal((await answer).status, 401);
  await until(() => recogniser.runs[0]!.ended);
  assert.deepEqual(lease.settled, []);
});

/** Recognises nothing, and waits until it is aborted. */
function waitingRecogniser() {
  return scriptedRecogniser(async (_second, signal) => {
    if (!signal.aborted) await once(signal, 'abort');
  });
}

async function sendHead(port: number, contentLength: number): Promise<Socket> {
  const socket = await openSocket(port);
  socket.on('error', () => {});
  socket.write(requestHead(contentLength));
  return socket;
}
