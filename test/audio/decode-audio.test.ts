import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture, speechFiles } from '../../evaluation/spoken-files.ts';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { correlate, cutAt, decodeAll, inChunks } from './fixtures.ts';

const reference = await decodeAll(fixture('speech-16k.wav'));

for (const name of speechFiles) {
  test(`${name} decodes to the spoken sentence, in time`, async () => {
    const samples = await decodeAll(fixture(name));
    const seconds = name.includes('start') ? 2 : reference.length / 16_000;
    assert.ok(
      Math.abs(samples.length / 16_000 - seconds) < 0.02,
      `${samples.length / 16_000} s, not ${seconds}`,
    );
    const { lag, correlation } = correlate(samples, reference);
    assert.ok(correlation > 0.95, `correlation ${correlation}`);
    assert.ok(Math.abs(lag) < 0.005 * 16_000, `${lag} samples late`);
  });
}

test('bytes cut at any points decode to the same samples', async () => {
  const whole = new Map<string, Float32Array>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...speechFiles),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
      async (name, cuts) => {
        const bytes = fixture(name);
        if (!whole.has(name)) whole.set(name, await decodeAll(bytes));
        const points = cuts.map((cut) => Math.floor(cut * bytes.length));
        assert.deepEqual(await decodeAll(cutAt(bytes, points)), whole.get(name));
      },
    ),
    { numRuns: 40 },
  );
});

test('single bytes decode to the same samples', async () => {
  for (const name of ['speech-opus-live.webm', 'speech-opus.ogg', 'speech-22k-vbr.mp3']) {
    assert.deepEqual(await decodeAll(inChunks(fixture(name), 1)), await decodeAll(fixture(name)), name);
  }
});

test('chunks hold from one sample to one second, within −1 … 1', async () => {
  for (const name of speechFiles) {
    for await (const chunk of decodeAudio(inChunks(fixture(name)))) {
      assert.ok(chunk.length > 0 && chunk.length <= 16_000);
      assert.ok(chunk.every((sample) => sample >= -1 && sample <= 1));
    }
  }
});

test('decoding begins before the bytes end', async () => {
  for (const name of [
    'speech-16k.wav',
    'speech-44k-stereo-cbr.mp3',
    'speech-opus-live.webm',
    'speech-vorbis.ogg',
    'speech.flac',
  ]) {
    const bytes = fixture(name);
    let pulled = 0;
    const counted = (async function* () {
      for await (const chunk of inChunks(bytes, 256)) {
        pulled += chunk.length;
        yield chunk;
      }
    })();
    for await (const _ of decodeAudio(counted)) break;
    assert.ok(pulled < bytes.length * 0.6, `${name}: ${pulled} of ${bytes.length} bytes for the first chunk`);
  }
});

test('a file is read from the disk', async () => {
  const path = new URL('../fixtures/audio/speech-16k.wav', import.meta.url).pathname;
  assert.deepEqual(await decodeAll(createReadStream(path)), reference);
});
