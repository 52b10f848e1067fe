import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addAdapter } from '../../../src/model/weights/adapter.ts';
import { addLowRank } from '../../../src/model/weights/low-rank-product.ts';
import {
  type PublishedWeights,
  type QuantisedWeight,
  toFloats,
} from '../../../src/model/weights/published-weights.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-adapter-'));
});
after(() => rm(folder, { recursive: true }));

test('the product of two narrow matrices is added, whatever their shape', () => {
  for (const [inputs, outputs, rank] of [
    [3, 16, 1],
    [5, 48, 8],
    [768, 64, 32],
  ] as const) {
    const a = Float32Array.from({ length: rank * inputs }, (_, i) => Math.sin(i));
    const b = Float32Array.from({ length: rank * outputs }, (_, i) => Math.cos(3 * i));
    const matrix = Float32Array.from({ length: inputs * outputs }, (_, i) => i % 7);
    const expected = matrix.map((value, at) => {
      const [input, output] = [Math.floor(at / outputs), at % outputs];
      let sum = value;
      for (let r = 0; r < rank; r++) sum += a[r * inputs + input]! * b[r * outputs + output]!;
      return sum;
    });
    addLowRank(matrix, { rank, a, b });
    for (const [at, value] of matrix.entries()) assert(Math.abs(value - expected[at]!) < 1e-4, `${at}`);
  }
});

test('an adapter file changes its matrices and the row of its language, and nothing else', async () => {
  const path = join(folder, 'adapter.bin');
  await writeFile(path, adapterFile('tiny'));
  const weights = smallWeights();
  const untouched = smallWeights();
  await addAdapter(weights, path, 'tiny');
  const changed = toFloats(weights.matrices.get('encoder.layers.0.fc1')!);
  const before = toFloats(untouched.matrices.get('encoder.layers.0.fc1')!);
  // scale 2 · a · b = 2 · (3 · 0.5) · (2 · 0.25) in the first column, nothing in the others.
  assert.deepEqual(
    [...changed.slice(0, 3)].map((value, at) => value - before[at]!),
    [1.5, 0, 0],
  );
  const [tokens, tokensBefore] = [weights, untouched].map(({ matrices }) =>
    toFloats(matrices.get('decoder.embed_tokens')!),
  ) as [Float32Array, Float32Array];
  assert.deepEqual(
    [...tokens].map((value, at) => value - tokensBefore[at]!),
    [0, 0, 1, -0.5, 0, 0],
  );
});

test('an adapter of another model, and a file that is none, are refused by name', async () => {
  const path = join(folder, 'other.bin');
  await writeFile(path, adapterFile('base'));
  await assert.rejects(addAdapter(smallWeights(), path, 'tiny'), /is for base, not for tiny/);
  for (const content of ['', 'RIFF', '\x05\0\0\0{"a":', '\x02\0\0\0{}']) {
    await writeFile(path, content);
    await assert.rejects(
      addAdapter(smallWeights(), path, 'tiny'),
      /not an adapter of the format siann-adapter-1/,
    );
  }
});

/** One matrix of 1 × 16 and three tokens of two values. */
function smallWeights(): PublishedWeights {
  const matrix: QuantisedWeight = {
    shape: [1, 16],
    bytes: new Uint8Array(16).fill(130),
    scale: 0.5,
    zeroPoint: 128,
  };
  const tokens: QuantisedWeight = {
    shape: [3, 2],
    bytes: new Uint8Array(6).fill(128),
    scale: 0.5,
    zeroPoint: 128,
  };
  return {
    matrices: new Map([
      ['encoder.layers.0.fc1', matrix],
      ['decoder.embed_tokens', tokens],
    ]),
    vectors: new Map(),
  };
}

function adapterFile(model: string): Buffer {
  const body = Buffer.alloc(56);
  body.writeFloatLE(0.5, 0); // scale of a's row
  body.writeInt8(3, 8);
  body.writeFloatLE(0.25, 16); // scale of b's row
  body.writeInt8(2, 24);
  body.writeUInt16LE(0x3c00, 40); // 1
  body.writeUInt16LE(0xb800, 42); // −0.5
  const header = JSON.stringify({
    format: 'siann-adapter-1',
    model,
    kind: 'int8',
    scale: 2,
    tensors: [
      {
        name: 'encoder.layers.0.fc1',
        rank: 1,
        inputs: 1,
        outputs: 16,
        a: { scales: 0, values: 8 },
        b: { scales: 16, values: 24 },
      },
    ],
    row: { token: 1, width: 2, offset: 40 },
  });
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(header));
  return Buffer.concat([length, Buffer.from(header), body]);
}
