import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Pcm } from '../../../src/audio/pcm.ts';
import { buildVoiceActivityGraph } from '../../../src/model/graphs/voice-activity-graph.ts';
import { openVoiceActivity, publishedVoiceModel } from '../../speech/voice-graph.ts';
import { readFixture, toneMusic, whiteNoise } from '../../speech/voice-sounds.ts';

test('many frames in one call get the probabilities that the published network gives them one by one', async () => {
  await using voice = await openVoiceActivity();
  const speech = [await readFixture('two-sentences.flac'), await readFixture('synthetic-voice.flac')];
  for (const sound of [...speech, whiteNoise(3, -20), toneMusic(6)]) {
    const expected = await listenFrameByFrame(sound);
    const stream = voice.open();
    const found = [...(await stream.push(sound)), ...(await stream.end())];
    assert.equal(found.length, expected.length);
    for (const [frame, probability] of found.entries()) {
      const difference = Math.abs(probability - expected[frame]!);
      assert(difference < 1e-4, `frame ${frame} differs by ${difference}`);
    }
  }
});

test('a file that is not the published network is refused', () => {
  assert.throws(() => buildVoiceActivityGraph(new Uint8Array(0)), /no branch for 16 kHz/);
});

async function listenFrameByFrame(samples: Pcm): Promise<number[]> {
  const published = await InferenceSession.create(publishedVoiceModel, { intraOpNumThreads: 1 });
  const sr = new Tensor('int64', BigInt64Array.of(16_000n), []);
  let state: Tensor = new Tensor('float32', new Float32Array(256), [2, 1, 128]);
  const probabilities: number[] = [];
  const padded = new Float32Array(64 + Math.ceil(samples.length / 512) * 512);
  padded.set(samples, 64);
  for (let at = 0; at + 576 <= padded.length; at += 512) {
    const input = new Tensor('float32', padded.slice(at, at + 576), [1, 576]);
    const { output, stateN } = await published.run({ input, state, sr });
    state = stateN as Tensor;
    probabilities.push((output!.data as Float32Array)[0]!);
  }
  await published.release();
  return probabilities;
}
