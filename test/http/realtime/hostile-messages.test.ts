/** What a client with a valid key can send over its socket, in the whole service. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { startService, type TestService } from '../../support/service.ts';
import { connectStream, silence } from '../../support/stream-client.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const paths = [
  '/v1/speech/realtime',
  '/v1/realtime',
  '/v1/listen?encoding=linear16&sample_rate=16000',
  '/asr?pcm_input=true',
];

function assertNoFault(): void {
  assert.deepEqual(
    service.logged.filter(({ level }) => Number(level) >= 50),
    [],
  );
}

for (const path of paths) {
  test(`${path}: a message in thousands of pieces ends the stream`, async () => {
    await using stream = await connectStream(service, { path });
    for (let count = 0; count < 2_000; count++) stream.socket.send('a', { fin: false, binary: false });
    assert.equal((await stream.closed).code, 1007);
    assertNoFault();
  });

  test(`${path}: JSON of great depth or with many names is an ordinary bad message`, async () => {
    const names = Array.from({ length: 15_000 }, (_, index) => `"name${index}":1`).join();
    const deep = `{"type":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
    for (const text of [deep, `{${names}}`, '{"__proto__":{"type":"close"}}', '{"type":"constructor"}']) {
      await using stream = await connectStream(service, { path });
      stream.send(text);
      stream.socket.close();
      await stream.closed;
    }
    assertNoFault();
  });

  test(`${path}: empty pieces without end do not keep others waiting`, async () => {
    await using stream = await connectStream(service, { path });
    stream.socket.send('', { fin: false, binary: true });
    for (let count = 0; count < 20_000; count++) stream.socket.ping();
    const { status } = await service.fetch('/v1/account');
    assert.equal(status, 200);
    assertNoFault();
  });
}

test('compression is not agreed upon', async () => {
  await using stream = await connectStream(service);
  assert.equal(stream.socket.extensions, '');
});

test('what a prompt, a language or an event id can make the service repeat is bounded', async () => {
  await using stream = await connectStream(service, { path: '/v1/realtime' });
  const transcription = { prompt: `${'p'.repeat(200_000)}the end` };
  stream.send({ type: 'session.update', session: { audio: { input: { transcription } } } });
  const updated = await stream.until(({ type }) => type === 'session.updated');
  const { prompt } = updated.session.audio.input.transcription;
  assert.ok(prompt.length <= 2_000 && prompt.endsWith('the end'), `${prompt.length} characters`);

  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  for (const language of [`"zh-${'x'.repeat(100_000)}"`, nested, '{"toString":1}']) {
    const before = stream.messages.length;
    stream.send(
      `{"type":"session.update","session":{"audio":{"input":{"transcription":{"language":${language}}}}}}`,
    );
    await stream.until((message) => message.type === 'error' && stream.messages.indexOf(message) >= before);
  }
  const before = stream.messages.length;
  stream.send({ type: 'unknown', event_id: 'e'.repeat(100_000) });
  const error = await stream.until((message) => stream.messages.indexOf(message) >= before);
  assert.equal(error.error.event_id, null);
  assert.ok(JSON.stringify(stream.messages).length < 20_000);
  assertNoFault();
});

test('an eagerness that no table has is the usual one', async () => {
  for (const eagerness of ['constructor', '__proto__', 'toString', ['low'], null]) {
    await using stream = await connectStream(service, { path: '/v1/realtime' });
    stream.send({
      type: 'session.update',
      session: { audio: { input: { turn_detection: { type: 'semantic_vad', eagerness } } } },
    });
    const updated = await stream.until(({ type }) => type === 'session.updated');
    assert.equal(updated.session.audio.input.turn_detection.silence_duration_ms, 500);
  }
});

test('a client that never reads its answers is let go, and the service keeps little for it', async () => {
  await using stream = await connectStream(service, { path: '/v1/realtime' });
  await stream.until(({ type }) => type === 'session.created');
  stream.socket.pause();
  const before = process.memoryUsage().heapUsed;
  const change = { audio: { input: { transcription: { prompt: 'p'.repeat(2_000) } } } };
  for (let count = 0; count < 5_000; count++)
    stream.send({ type: 'session.update', session: count ? {} : change });
  for (let turn = 0; turn < 50; turn++) await service.fetch('/healthz');
  const growth = process.memoryUsage().heapUsed - before;
  assert.ok(growth < 60 * 2 ** 20, `${Math.round(growth / 2 ** 20)} MiB more`);
});

test('thousands of unknown parameters give a few warnings', async () => {
  const query = Array.from({ length: 2_000 }, (_, index) => `x${index}`).join('&');
  await using stream = await connectStream(service, { path: `/v1/speech/realtime?${query}` });
  stream.send(silence(1));
  stream.send({ type: 'close' });
  await stream.closed;
  const warnings = stream.messages.filter(({ type }) => type === 'warning');
  assert.equal(warnings.length, 20);
});

test('thousands of clears are answered, and make nothing final', async () => {
  await using stream = await connectStream(service, { path: '/v1/realtime' });
  stream.send({ type: 'input_audio_buffer.append', audio: Buffer.from(silence(1)).toString('base64') });
  for (let count = 0; count < 3_000; count++) stream.send({ type: 'input_audio_buffer.clear' });
  while (stream.messages.filter(({ type }) => type === 'input_audio_buffer.cleared').length < 3_000)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(stream.socket.readyState, WebSocket.OPEN);
});
