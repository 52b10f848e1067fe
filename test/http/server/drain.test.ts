import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openRaw } from '../../support/raw-connection.ts';
import { silentRecogniser, startService, type TestService } from '../../support/service.ts';

test('a drain lets running work finish and takes no more', async () => {
  const { recogniser, release, started } = heldRecogniser();
  await using running = await startService({ recogniser });
  await using idle = await openRaw(running.ports.live, running.ca);
  const ask = (path: string) =>
    idle.send(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.keys.live}\r\n\r\n`);
  ask('/v1/account');
  await idle.until(/200 OK[\s\S]*rateLimit/);
  const transcription = transcribe(running);
  await started;

  let isDrained = false;
  const drained = running.service.drain().then(() => {
    isDrained = true;
  });
  await assert.rejects(openRaw(running.ports.live, running.ca), /ECONNREFUSED/);
  ask('/v1/account');
  const answer = await idle.until(/"code":"shutting_down"/);
  assert.match(answer, /503 Service Unavailable[\s\S]*connection: close/i);
  assert.match(answer, /retry-after: \d/i);
  assert.equal(isDrained, false);

  release();
  const { status } = await transcription;
  assert.equal(status, 200);
  await drained;
});

test('while it drains, an open connection is told that the service is not ready', async () => {
  const { recogniser, release, started } = heldRecogniser();
  await using running = await startService({ recogniser });
  await using probe = await openRaw(running.ports.live, running.ca);
  probe.send('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
  await probe.until(/"status":"ready"/);
  const transcription = transcribe(running);
  await started;
  const drained = running.service.drain();
  probe.send('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n');
  await probe.until(/503 [\s\S]*"status":"draining"/);
  release();
  await Promise.all([transcription, drained]);
});

test('what does not finish in time is cut off, and its lease closed', async () => {
  const { recogniser, started } = heldRecogniser();
  const running = await startService({ recogniser, env: { SIANN_DRAIN_SECONDS: '1' } });
  const cutOff = assert.rejects(transcribe(running), /hang up|ECONNRESET/);
  await started;
  const startedAt = performance.now();
  await running.service.drain();
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs > 900 && tookMs < 4_000, `${tookMs} ms`);
  await running[Symbol.asyncDispose]();
  await cutOff;
  const line = running.logged.findLast(({ msg }) => msg === 'request');
  assert.deepEqual([line?.route, line?.aborted, line?.status], ['/v1/audio/transcriptions', true, 499]);
  assert.ok(!running.logged.some(({ level }) => Number(level) >= 50));
});

test('a client that goes away while it is being let in costs no permit', async () => {
  await using running = await startService({ plan: 'free' });
  const authorization = `Bearer ${running.keys.live}`;
  for (let round = 0; round < 4; round++) {
    const connection = await openRaw(running.ports.live, running.ca);
    connection.send(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n`,
    );
    connection.socket.end();
    connection.socket.destroy();
    await delay(250);
  }
  const { status } = await transcribe(running);
  assert.equal(status, 200);
});

function heldRecogniser() {
  let release = () => {};
  let begin = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const recogniser = {
    ...silentRecogniser(),
    // biome-ignore lint/correctness/useYield: nothing is recognised.
    async *transcribe(bytes: AsyncIterable<Uint8Array>) {
      for await (const _chunk of bytes);
      begin();
      await released;
      return { durationSeconds: 1 };
    },
  };
  return { recogniser, release: () => release(), started };
}

function transcribe(running: TestService) {
  const body = [
    '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nsiann-1',
    '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF',
    '--x--\r\n',
  ].join('\r\n');
  return running.fetch('/v1/audio/transcriptions', {
    method: 'POST',
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    agent: new Agent({ keepAlive: true }),
  });
}
