import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../evaluation/spoken-files.ts';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { collectedBytes } from '../support/collected-memory.ts';
import { decodeAll, inChunks, indexOf } from './fixtures.ts';

const sentenceSeconds = 3.675;

/** Files that never end: what opens them, then the same audio over and over. */
const endless: Record<string, { name: string; bodyAt(bytes: Uint8Array): number }> = {
  wav: { name: 'speech-8k-mulaw.wav', bodyAt: (bytes) => indexOf(bytes, 'data') + 8 },
  mp3: { name: 'speech-22k-vbr.mp3', bodyAt: () => 0 },
  webm: { name: 'speech-opus-live.webm', bodyAt: (bytes) => indexOf(bytes, [0x1f, 0x43, 0xb6, 0x75]) },
  'webm with vorbis': {
    name: 'speech-vorbis.webm',
    bodyAt: (bytes) => indexOf(bytes, [0x1f, 0x43, 0xb6, 0x75]),
  },
  flac: { name: 'speech.flac', bodyAt: (bytes) => indexOf(bytes, [0xff, 0xf8], 8_000) },
  ogg: { name: 'speech-opus.ogg', bodyAt: (bytes) => indexOf(bytes, 'OggS', indexOf(bytes, 'OpusTags')) },
};

for (const [kind, { name, bodyAt }] of Object.entries(endless)) {
  test(`an endless ${kind} stops at the limit, having read little more than that`, async () => {
    const source = countBytes(repeat(fixture(name), bodyAt));
    await assert.rejects(decodeAll(source.bytes, { maxSeconds: 20 }), { code: 'file_too_long' });
    const bytesPerSecond = fixture(name).length / sentenceSeconds;
    assert.ok(source.count() < 21 * bytesPerSecond + 100_000, `${source.count()} bytes read`);
    assert.ok(source.closed(), 'the source was told to stop');
  });

  test(`minutes of ${kind} take no more memory than seconds`, async () => {
    let samples = 0;
    let early = 0;
    for await (const chunk of decodeAudio(repeat(fixture(name), bodyAt))) {
      samples += chunk.length;
      if (early === 0 && samples > 60 * 16_000) early = collectedBytes();
      if (samples > 360 * 16_000) break;
    }
    const grown = (collectedBytes() - early) / 2 ** 20;
    assert.ok(grown < 48, `${grown.toFixed(0)} MB more after five minutes`);
  });
}

test('exactly the limit is allowed', async () => {
  const samples = await decodeAll(fixture('speech-16k.wav'), { maxSeconds: sentenceSeconds });
  assert.equal(samples.length, sentenceSeconds * 16_000);
});

test('a flac or mp3 that declares more than the limit is refused by its header', async () => {
  const flac = fixture('speech.flac').slice();
  flac.set([0xff, 0xff, 0xff, 0xff], 22);
  const mp3 = fixture('speech-22k-vbr.mp3').slice();
  mp3.set([0x00, 0xff, 0xff, 0xff], indexOf(mp3, 'Xing') + 8);
  for (const file of [flac, mp3]) {
    const source = countBytes(inChunks(file, 1_024));
    await assert.rejects(decodeAll(source.bytes), { code: 'file_too_long' });
    assert.ok(source.count() < 18_000, `${source.count()} bytes read`);
  }
});

test('a consumer that stops early stops the source', async () => {
  for (const name of [
    'speech-16k.wav',
    'speech-44k-stereo-cbr.mp3',
    'speech-opus.webm',
    'speech-vorbis.ogg',
    'speech.flac',
  ]) {
    const source = countBytes(inChunks(fixture(name), 512));
    for await (const _ of decodeAudio(source.bytes)) break;
    assert.ok(source.closed(), name);
  }
});

test('nothing is read before the first pull, and nothing ahead of the consumer', async () => {
  const source = countBytes(inChunks(fixture('speech-16k.wav'), 512));
  const decoding = decodeAudio(source.bytes);
  assert.equal(source.count(), 0);
  await decoding.next();
  const afterFirst = source.count();
  for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(source.count(), afterFirst);
  await decoding.return(undefined);
});

test('an abort ends a wait for bytes that never come', async () => {
  const bytes = fixture('speech-16k.wav');
  const reason = new Error('the client went away');
  const controller = new AbortController();
  let closed = false;
  const stalled: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => {
      let sent = false;
      return {
        next: () => {
          if (sent) {
            setImmediate(() => controller.abort(reason)); // while it is being waited for
            return new Promise(() => {});
          }
          sent = true;
          return Promise.resolve({ done: false, value: bytes.subarray(0, 20_000) });
        },
        return: () => {
          closed = true;
          return new Promise(() => {});
        },
      };
    },
  };
  await assert.rejects(decodeAll(stalled, { signal: controller.signal }), reason);
  assert.ok(closed);
});

test('an abort between two chunks ends the decoding', async () => {
  const controller = new AbortController();
  const decoding = decodeAudio(inChunks(fixture('speech.flac')), { signal: controller.signal });
  await decoding.next();
  controller.abort(new Error('enough'));
  await assert.rejects(decoding.next(), /enough/);
});

async function* repeat(bytes: Uint8Array, bodyAt: (bytes: Uint8Array) => number): AsyncGenerator<Uint8Array> {
  const at = bodyAt(bytes);
  yield bytes.subarray(0, at);
  for (;;) yield* inChunks(bytes.subarray(at), 4_096);
}

function countBytes(source: AsyncIterable<Uint8Array>) {
  let count = 0;
  let closed = false;
  const bytes = (async function* () {
    try {
      for await (const chunk of source) {
        count += chunk.length;
        yield chunk;
      }
    } finally {
      closed = true;
    }
  })();
  return { bytes, count: () => count, closed: () => closed };
}
