import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { decodeAudio } from '../../../src/audio/decode-audio.ts';
import { createFlacFrames } from '../../../src/audio/flac/flac-frames.ts';
import { decodeAll, inChunks, join } from '../fixtures.ts';

const flac = fixture('speech.flac');

test('a tag behind the last frame costs neither a file nor a stream its last frame', async () => {
  const whole = (await decodeAll(flac)).length;
  const tag = new Uint8Array(128);
  tag.set(Buffer.from('TAG'));
  const tagged = join(flac, tag);
  assert.equal(await fileSamples(tagged), whole);
  assert.equal(await streamSamples(tagged, 1_000), await streamSamples(flac, 1_000));
});

test('a stream has as many samples as the file, however it is cut into pieces', async () => {
  const whole = await streamSamples(flac, flac.length);
  for (const step of [1, 17, 4_095])
    assert.equal(
      await streamSamples(flac.subarray(0, 60_000), step),
      await streamSamples(flac.subarray(0, 60_000), 60_000),
    );
  assert(whole > 0);
});

async function fileSamples(bytes: Uint8Array): Promise<number> {
  let samples = 0;
  for await (const chunk of decodeAudio(inChunks(bytes))) samples += chunk.length;
  return samples;
}

/** At the rate of the stream, which is not converted here. */
async function streamSamples(bytes: Uint8Array, step: number): Promise<number> {
  const frames = createFlacFrames();
  const first = (channels: Float32Array[]) => channels[0]!;
  let samples = 0;
  for (let at = 0; at < bytes.length; at += step)
    samples += (await frames.push(bytes.subarray(at, at + step), first)).length;
  samples += (await frames.end(first)).length;
  frames.free();
  return samples;
}
