import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceChannels, type IntegerWeight } from '../../../src/model/weights/channel-balance.ts';

const [channels, outputs] = [8, 4];
const bytes = Uint8Array.from({ length: channels * outputs }, (_, i) => (i * 37) % 256);
const matrix = { shape: [channels, outputs], bytes, scale: 0.01, zeroPoint: 120 };
// One channel is a hundred times as large as the others, as in Whisper's states.
const norm = {
  gain: Float32Array.from({ length: channels }, (_, i) => (i === 3 ? 50 : 0.5)),
  offset: Float32Array.from({ length: channels }, (_, i) => i / 100),
};

test('balanced channels give the same product, within the rounding of the weights', () => {
  const balanced = balanceChannels(norm, [matrix]);
  const states = Float32Array.from({ length: channels }, (_, i) => Math.sin(i * 2 + 1));
  const before = multiply(
    states.map((state, c) => state * norm.gain[c]! + norm.offset[c]!),
    matrix,
  );
  const even = states.map((state, c) => state * balanced.norm.gain[c]! + balanced.norm.offset[c]!);
  const after = multiply(even, balanced.matrices[0]!);
  const largest = Math.max(...before.map(Math.abs));
  for (const [output, value] of after.entries()) assert(Math.abs(value - before[output]!) < 0.02 * largest);
});

test('the largest channel comes nearer to the others', () => {
  const { gain } = balanceChannels(norm, [matrix]).norm;
  const others = gain.filter((_, channel) => channel !== 3);
  assert(gain[3]! / Math.max(...others) < 20);
});

function multiply(input: Float32Array, weight: IntegerWeight): number[] {
  const columns = weight.shape[1]!;
  return Array.from({ length: columns }, (_, column) => {
    const scale = typeof weight.scale === 'number' ? weight.scale : weight.scale[column]!;
    return input.reduce(
      (sum, x, row) => sum + x * (weight.bytes[row * columns + column]! - weight.zeroPoint) * scale,
      0,
    );
  });
}
