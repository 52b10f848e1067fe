import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createLogMel, melBands } from '../../../../src/speech/inference/features/log-mel.ts';
import { referenceSignal } from '../../reference-signal.ts';

const reference: { values: [number, number, number][] } = JSON.parse(
  readFileSync(new URL('../../../fixtures/log-mel-reference.json', import.meta.url), 'utf8'),
);

test("features are those of Hugging Face's extractor, within 1e-5", () => {
  const mel = createLogMel()(referenceSignal(1.3), 3000);
  for (const [band, frame, value] of reference.values) {
    const found = mel[band * 3000 + frame]!;
    assert(Math.abs(found - value) < 1e-5, `band ${band}, frame ${frame}: ${found} instead of ${value}`);
  }
});

test('a shorter context has the same features', () => {
  const logMel = createLogMel();
  const [whole, short] = [logMel(referenceSignal(1.3), 3000), logMel(referenceSignal(1.3), 201)];
  for (let band = 0; band < melBands; band++) {
    const expected = whole.subarray(band * 3000, band * 3000 + 201);
    assert.deepEqual(short.subarray(band * 201, (band + 1) * 201), expected);
  }
});

test('silence, a single sample and no audio at all have finite features', () => {
  const logMel = createLogMel();
  for (const audio of [new Float32Array(16_000), Float32Array.of(1), new Float32Array(0)]) {
    assert(logMel(audio, 100).every(Number.isFinite), `${audio.length} samples`);
  }
});

test('audio longer than the context is cut off', () => {
  const logMel = createLogMel();
  const frames = 60;
  const longer = logMel(referenceSignal(1.3), frames);
  assert.equal(longer.length, melBands * frames);
  const whole = logMel(referenceSignal(1.3), 3000);
  const atFrame = (mel: Float32Array, stride: number, frame: number) =>
    Array.from({ length: melBands }, (_, band) => mel[band * stride + frame]!);
  assert.deepEqual(atFrame(longer, frames, 40), atFrame(whole, 3000, 40));
});
