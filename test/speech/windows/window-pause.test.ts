import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPause } from '../../../src/speech/windows/window-pause.ts';

const start = 512 * 100;

test('the pause between words wins over the closure of a plosive', () => {
  const audio = tone(32_000);
  audio.fill(0, 6_000, 6_800);
  audio.fill(0, 16_000, 18_400);
  const pause = findPause(audio, start, () => 0.9);
  assert(pause > start + 16_000 && pause < start + 18_400);
});

test('of equally loud moments the one with the least voice is taken', () => {
  const audio = tone(32_000);
  const pause = findPause(audio, start, (frame) => (frame >= 110 && frame < 116 ? 0.3 : 0.9));
  assert(pause > 110 * 512 && pause < 116 * 512);
});

test('where nothing differs the window is filled', () => {
  assert(findPause(tone(32_000), start, () => 1) >= start + 32_000 - 1_600);
});

function tone(samples: number): Float32Array {
  return new Float32Array(samples).map((_, i) => (i % 2 ? 0.3 : -0.3));
}
