import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openRaw } from '../../../support/raw-connection.ts';
import { startService } from '../../../support/service.ts';

test('a refusal reaches a client that closes the connection after it, and sends before it reads', async () => {
  await using running = await startService();
  await using connection = await openRaw(running.ports.live, running.ca);
  const { socket } = connection;
  let failure: Error | undefined;
  socket.on('error', (error) => {
    failure = error;
  });
  socket.pause();
  connection.send(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.keys.live}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 150000000\r\nConnection: close\r\n\r\n',
  );
  for (let i = 0; i < 30; i++) {
    connection.send(Buffer.alloc(100_000));
    await delay(10);
  }
  assert.equal(failure, undefined);
  socket.resume();
  const answer = await connection.closed();
  assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*"code":"file_too_large"/);
});

test('once the body has come, a connection that is to be closed is closed', async () => {
  await using running = await startService();
  await using connection = await openRaw(running.ports.live, running.ca);
  connection.send(
    'POST /v1/account HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nConnection: close\r\n\r\n12345',
  );
  await connection.until(/"code":"method_not_allowed"/);
  connection.send('67890');
  assert.match(await connection.closed(2_000), /^HTTP\/1\.1 405 /);
});

test('a client that is refused and leaves in the middle of its body harms nobody', async () => {
  await using running = await startService();
  const refusals = ['application/json;charset=x', 'application/json', 'text/plain'].flatMap((type) =>
    [0, 10, 60_000, 120_000].map((sent) => ({ type, sent })),
  );
  for (const { type, sent } of refusals) {
    await using connection = await openRaw(running.ports.live, running.ca);
    connection.send(
      `POST /v1/realtime/transcription_sessions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.keys.live}\r\n` +
        `Content-Type: ${type}\r\nContent-Length: 120180\r\n\r\n${'x'.repeat(sent)}`,
    );
    connection.socket.end();
    // It is answered, or cut.
    await connection.until(/^HTTP/).catch(() => {});
  }
  const { text } = await running.fetch('/metrics');
  assert.doesNotMatch(text, /internal_error/);
});
