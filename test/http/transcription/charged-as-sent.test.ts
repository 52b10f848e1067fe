/** Clients that leave at every possible moment, with the real gate and ledger. Only the recogniser is scripted. */
import assert from 'node:assert/strict';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { leasesClosed } from '../../../bench/realtime/open-leases.ts';
import { plans } from '../../../src/accounts/projects/plans.ts';
import type { Recogniser } from '../../../src/speech/recogniser.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { auditLedger } from '../../support/audit-ledger.ts';
import { seededNumbers } from '../../support/seeded-numbers.ts';
import { segment } from '../../support/segment.ts';
import { silentRecogniser, startService, type TestService } from '../../support/service.ts';
import { formBody } from './upload-client.ts';

const secondsInAll = 12;

/** One sentence for each second. The pauses between them come from the seed. */
function sentences(random: () => number): Recogniser['transcribe'] {
  return async function* (bytes, { onDecoded, signal }) {
    for await (const _piece of bytes);
    await onDecoded?.(secondsInAll);
    for (let id = 0; id < secondsInAll; id++) {
      signal?.throwIfAborted();
      if (random() < 0.5) await delay(Math.floor(random() * 4));
      yield segment({ id, text: `Sentence ${id}.` });
    }
    await delay(Math.floor(random() * 4));
    return { durationSeconds: secondsInAll };
  };
}

type Delivery = { requestId: string | undefined; heardSeconds: number; isDone: boolean };

let service: TestService;
let keyId: string;
before(async () => {
  const recogniser = { ...silentRecogniser(), transcribe: sentences(seededNumbers(7)) };
  const basic = { quotaMinutes: 100_000, requestsPerSecond: 10_000, concurrentConnections: 100 };
  service = await startService({ recogniser, plan: 'basic', plans: { ...plans, basic } });
  const account = (await service.fetch('/v1/account')).json() as { key: { id: string } };
  keyId = account.key.id;
});
after(() => service[Symbol.asyncDispose]());

test('what 500 clients got before they left at a random moment was charged', async () => {
  const random = seededNumbers(2026);
  const deliveries: Delivery[] = [];
  const oneAfterAnother = async () => {
    while (deliveries.length < 500) deliveries.push(await leaveEarly(random));
  };
  await Promise.all(Array.from({ length: 8 }, oneAfterAnother));

  const { settled, reservedMs, usedMs } = await audit();
  const chargedMs = ({ requestId = '' }: Delivery) => settled.get(requestId) ?? 0;
  const unpaid = deliveries.filter((each) => chargedMs(each) < each.heardSeconds * 1000);
  assert.deepEqual(unpaid, []);
  assert.ok([...settled.values()].every((milliseconds) => milliseconds <= secondsInAll * 1000));
  assert.equal(reservedMs, 0, 'nothing stays reserved');
  for (const each of deliveries.filter(({ isDone }) => isDone))
    assert.equal(chargedMs(each), secondsInAll * 1000);

  const partly = deliveries.filter(({ heardSeconds, isDone }) => heardSeconds > 0 && !isDone).length;
  const nothing = deliveries.filter(({ heardSeconds }) => heardSeconds === 0).length;
  assert.ok(
    partly > 100 && nothing > 20,
    `${partly} left in the middle, ${nothing} before the first sentence`,
  );
  assert.ok(usedMs < 500 * secondsInAll * 1000, 'who left early did not pay for the whole file');
});

/** Reads as many bytes, or for as long, as the next random numbers say, and hangs up. */
async function leaveEarly(random: () => number): Promise<Delivery> {
  const bytesToRead = Math.floor(random() * 4_500);
  const leaveAfterMs = random() < 0.3 ? Math.floor(random() * 25) : 10_000;
  const request = sendFile();
  const timer = setTimeout(() => request.destroy(), leaveAfterMs);
  let text = '';
  let requestId: string | undefined;
  request.on('response', (response: IncomingMessage) => {
    requestId = String(response.headers['x-request-id']);
    response.on('error', () => {});
    response.on('data', (piece) => {
      text += piece;
      if (text.length >= bytesToRead) request.destroy();
    });
  });
  await closed(request);
  clearTimeout(timer);
  const events = text
    .split('\n\n')
    .slice(0, -1)
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)));
  return {
    requestId,
    heardSeconds: Math.max(0, ...events.map(({ end = 0 }) => end)),
    isDone: events.some(({ type }) => type === 'transcript.text.done'),
  };
}

function sendFile() {
  const { ports, ca, keys } = service;
  const body = formBody([
    ['model', 'siann-1'],
    ['stream', 'true'],
    ['file', new Uint8Array(100)],
  ]);
  const request = httpsRequest({
    host: '127.0.0.1',
    servername: 'localhost',
    port: ports.live,
    ca,
    agent: false,
    path: '/v1/audio/transcriptions',
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys.live}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': body.length,
    },
  });
  request.on('error', () => {});
  request.end(body);
  return request;
}

function closed(request: ClientRequest): Promise<unknown> {
  return new Promise((resolve) => request.once('close', resolve));
}

/** The ledger once every request has ended. */
async function audit() {
  assert.equal(
    await leasesClosed({ port: service.ports.live, ca: service.ca, key: service.keys.live }),
    true,
  );
  await using database = await openDatabase({ url: join(service.dataFolder, 'siann.db') });
  return await auditLedger(database, keyId);
}
