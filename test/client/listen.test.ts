import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type LiveEvent, type LiveStream, Siann, SiannError } from '../../client/siann.ts';
import { sampleRate, spokenNumbers, startWordServer, type WordServer } from './word-server.ts';

const words = 40;
const recording = spokenNumbers(words);
const everyWord = Array.from({ length: words }, (_, index) => String(index + 1));

describe('a live stream', () => {
  test('gives every word once, with the key in a header', async () => {
    await using server = await disposable();
    const stream = clientOf(server).listen({ sampleRate, language: 'zh-TW' });
    const events = collect(stream);
    await play(stream, recording);
    stream.close();
    assert.deepEqual(finalWords(await events), everyWord);
    const [first, last] = [(await events)[0]!, (await events).at(-1)!];
    assert.equal(first.type, 'session.begin');
    assert.ok(last.type === 'session.end' && last.reason === 'closed_by_client');
    assert.equal(server.connections[0]!.authorization, 'Bearer sk_test_0');
    assert.match(server.connections[0]!.url, /^\/v1\/speech\/realtime\?sample_rate=8000&language=zh-TW$/);
  });

  for (const [name, code] of [
    ['cuts the connection', undefined],
    ['restarts', 1001],
    ['fails', 1011],
  ] as const) {
    test(`loses and repeats no word when the server ${name} several times`, async () => {
      await using server = await disposable();
      const stream = clientOf(server).listen({ sampleRate });
      const events = collect(stream);
      let playing = true;
      const breaking = (async () => {
        for (let round = 0; playing && round < 4; round += 1) {
          await delay(130 + 90 * round);
          server.closeAll(code);
        }
      })();
      await play(stream, recording, 12);
      playing = false;
      stream.close();
      await breaking;
      const all = await events;
      assert.deepEqual(finalWords(all), everyWord);
      assert.ok(all.some(({ type }) => type === 'connection.restored'));
      assertInOrder(all);
    });
  }

  test('keeps the audio that is written while there is no server', async () => {
    const first = await startWordServer();
    const stream = clientOf(first).listen({ sampleRate });
    const events = collect(stream);
    const half = recording.length / 2 - ((recording.length / 2) % 2);
    await play(stream, recording.subarray(0, half), 4);
    await first.stop();
    await play(stream, recording.subarray(half));
    stream.close();
    const second = await startWordServer(first.port);
    const all = await events;
    await second.stop();
    assert.deepEqual(finalWords(all), everyWord);
    assertInOrder(all);
  });

  test('uses the number of an unfinished segment again, so that its partial is replaced', async () => {
    await using server = await disposable();
    const stream = clientOf(server).listen({ sampleRate });
    const events = collect(stream);
    // Two words, without the pause that would end them.
    await stream.write(recording.subarray(0, 2 * sampleRate * 0.24));
    await delay(150);
    server.closeAll();
    await delay(20);
    stream.close();
    const texts = new Map<number, string>();
    for (const event of await events)
      if (event.type === 'transcript') texts.set(event.segment_id, event.text);
    assert.deepEqual([...texts], [[0, '1 2']]);
  });

  test('asks for a final on finalize, even if the connection was lost meanwhile', async () => {
    await using server = await disposable();
    const stream = clientOf(server).listen({ sampleRate });
    await stream.write(recording.subarray(0, 2 * sampleRate * 0.24));
    stream.finalize();
    for await (const event of stream) {
      if (event.type === 'session.begin') server.closeAll();
      if (event.type !== 'transcript' || !event.is_final) continue;
      assert.equal(event.text, '1 2');
      assert.equal(event.from_finalize, true);
      break;
    }
  });

  test('ends with the error of a service that refuses the connection', async () => {
    const { createServer } = await import('node:http');
    const body = JSON.stringify({ error: { message: 'No.', type: 'x', code: 'invalid_api_key' } });
    const server = createServer().on('upgrade', (_request, socket) => {
      socket.end(
        `HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\nx-request-id: r1\r\n\r\n${body}`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const stream = new Siann({ apiKey: 'no', baseUrl: `http://127.0.0.1:${port}/v1` }).listen();
    await assert.rejects(collect(stream), (error: SiannError) => {
      assert.ok(error instanceof SiannError);
      assert.deepEqual(
        [error.code, error.name, error.status, error.requestId],
        ['invalid_api_key', 'INVALID_API_KEY', 401, 'r1'],
      );
      return true;
    });
    server.close();
  });

  test('ends when its signal aborts, and when its reader stops', async () => {
    await using server = await disposable();
    const controller = new AbortController();
    const aborted = clientOf(server).listen({ sampleRate, signal: controller.signal });
    const events = collect(aborted);
    await delay(50);
    controller.abort(new Error('enough'));
    await assert.rejects(events, /enough/);
    await assert.rejects(aborted.write(new Uint8Array(2)), /closed/);

    const abandoned = clientOf(server).listen({ sampleRate });
    for await (const event of abandoned) if (event.type === 'session.begin') break;
    await delay(50);
    await assert.rejects(abandoned.write(new Uint8Array(2)), /closed/);
  });

  test('gives up when there is no service', async () => {
    const client = new Siann({ apiKey: 'sk_test_0', baseUrl: 'http://127.0.0.1:9/v1' });
    const stream = client.listen({ reconnectForMs: 300 });
    await assert.rejects(collect(stream), { code: 'connection_failed' });
  });
});

function clientOf({ url }: WordServer): Siann {
  return new Siann({ apiKey: 'sk_test_0', baseUrl: url });
}

async function disposable(): Promise<WordServer & AsyncDisposable> {
  const server = await startWordServer();
  return Object.assign(server, { [Symbol.asyncDispose]: server.stop });
}

/** Writes the audio in frames of odd sizes, `speed` times as fast as it is spoken, or at once without it. */
async function play(stream: LiveStream, bytes: Uint8Array, speed?: number): Promise<void> {
  const frameBytes = 1001;
  for (let at = 0; at < bytes.length; at += frameBytes) {
    await stream.write(bytes.subarray(at, at + frameBytes));
    if (speed) await delay((1000 * frameBytes) / (2 * sampleRate) / speed);
  }
}

async function collect(stream: LiveStream): Promise<LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function finalWords(events: readonly LiveEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'transcript' && event.is_final ? event.text.split(' ') : [],
  );
}

/** Times count from the beginning of the stream: each word has the time at which it was written. */
function assertInOrder(events: readonly LiveEvent[]): void {
  let seq = -1;
  let segment = -1;
  for (const event of events) {
    if (event.type !== 'transcript') continue;
    assert.ok(event.seq > seq, 'seq');
    seq = event.seq;
    if (!event.is_final) continue;
    assert.equal(event.segment_id, segment + 1);
    segment = event.segment_id;
    const first = Number(event.text.split(' ')[0]) - 1;
    const expected = first * 0.12 + Math.floor(first / 4) * 0.4;
    assert.ok(Math.abs(event.start - expected) < 0.002, `${event.start} is not ${expected}`);
  }
}
