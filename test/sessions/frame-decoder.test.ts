import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../evaluation/spoken-files.ts';
import { joinSamples } from '../../src/audio/audio-block.ts';
import { BadAudio } from '../../src/audio/bad-audio.ts';
import { createFrameDecoder } from '../../src/sessions/frame-decoder.ts';
import type { StreamOptions } from '../../wire/option-types.ts';
import { correlate, decodeAll, join, noise } from '../audio/fixtures.ts';

const wave = fixture('speech-16k.wav').subarray(44);
const flac = fixture('speech.flac');

test('samples are the same wherever the frames were split', async () => {
  const piece = wave.subarray(0, 20_001);
  for (const [encoding, rate] of [
    ['LINEAR16', 16_000],
    ['LINEAR16', 44_100],
    ['MULAW', 8_000],
  ] as const) {
    const whole = await decode(encoding, rate, [piece]);
    await fc.assert(
      fc.asyncProperty(splits(piece), async (frames) => {
        assert.deepEqual(await decode(encoding, rate, frames), whole);
      }),
      { numRuns: 10 },
    );
  }
});

test('a stream of any rate lasts as long as it was spoken', async () => {
  for (const rate of [8_000, 11_025, 22_050, 48_000]) {
    const samples = await decode('LINEAR16', rate, [new Uint8Array(2 * rate)]);
    assert.equal(samples.length, 16_000, `${rate}`);
  }
});

test('a telephone codes a byte for each sample', async () => {
  const samples = await decode('MULAW', 8_000, [Uint8Array.of(0xff, 0x7f, 0x00, 0x80)]);
  assert.equal(samples.length, 8);
});

test('FLAC that is split anywhere gives the samples of the file', async () => {
  const whole = await decodeAll(flac);
  await fc.assert(
    fc.asyncProperty(splits(flac), async (frames) => {
      const samples = await decode('FLAC', 16_000, frames);
      assert.equal(samples.length, whole.length);
      const { lag, correlation } = correlate(samples, whole);
      assert.equal(lag, 0);
      assert(correlation > 0.9999);
    }),
    { numRuns: 8 },
  );
});

test('a FLAC frame is decoded as soon as the next has begun', async () => {
  const decoder = createFrameDecoder('FLAC', 16_000);
  let samples = 0;
  for (let at = 0; at < flac.length / 2; at += 100) {
    samples += (await decoder.push(flac.subarray(at, at + 100))).length;
  }
  decoder.free();
  const all = (await decodeAll(flac)).length;
  assert(samples > all * 0.4, `${samples} of ${all} after half of the bytes`);
});

test('bytes that are no FLAC are refused with a sentence that says what to send', async () => {
  for (const bytes of [noise(500), new TextEncoder().encode('{"type":"audio"}'), new Uint8Array(5_000)])
    await assert.rejects(decode('FLAC', 16_000, [bytes]), (error) => {
      assert(error instanceof BadAudio);
      assert.match(error.message, /Send .*\./);
      return true;
    });
  const header = flac.subarray(0, 2_000);
  await assert.rejects(decode('FLAC', 16_000, [join(header, noise(300_000))]), BadAudio);
});

test('damage in the middle of FLAC costs the damaged frames only', async () => {
  const damaged = flac.slice();
  damaged.fill(0, 20_000, 20_100);
  const samples = await decode('FLAC', 16_000, [damaged]);
  const whole = await decodeAll(flac);
  assert(samples.length < whole.length && samples.length > whole.length * 0.7);
});

function splits(bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> {
  return fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 30 }).map((cuts) => {
    const bounds = [0, ...cuts.sort((a, b) => a - b), bytes.length];
    return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
  });
}

async function decode(
  encoding: StreamOptions['encoding'],
  rate: number,
  frames: Uint8Array[],
): Promise<Float32Array> {
  const decoder = createFrameDecoder(encoding, rate);
  try {
    const parts: Float32Array[] = [];
    for (const frame of frames) parts.push(await decoder.push(frame));
    parts.push(await decoder.end());
    return joinSamples(parts);
  } finally {
    decoder.free();
  }
}
