import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import {
  blockQuantisedProduct,
  toBlocks,
  tokenBlocks,
} from '../../../src/model/graphs/block-quantised-product.ts';
import { createRowQuantisedProduct } from '../../../src/model/graphs/row-quantised-product.ts';
import { GraphBuilder, type TensorName } from '../../../src/model/onnx/graph-builder.ts';
import { type QuantisedWeight, toFloats } from '../../../src/model/weights/published-weights.ts';
import { seededNumbers } from '../../support/seeded-numbers.ts';

const [inputs, outputs, rows] = [384, 96, 5];
const random = seededNumbers(3);
const weight = makeWeight([inputs, outputs], 121);
/** Rows from quiet to loud, as frames of speech are. */
const values = Float32Array.from(
  { length: rows * inputs },
  (_, i) => 10 ** (Math.floor(i / inputs) - 2) * normal(),
);

test('a block-quantised product differs from the real one by no more than the rounding of weights and inputs', async () => {
  const bias = Float32Array.from({ length: outputs }, normal);
  const product = await run(values, rows, (graph, x) =>
    blockQuantisedProduct(graph, x, 'w', toBlocks([weight]), bias),
  );
  const floats = toFloats(weight);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < outputs; column++) {
      let exact = bias[column]!;
      let bound = 1e-5;
      for (let start = 0; start < inputs; start += 32) {
        const x = Array.from({ length: 32 }, (_, i) => values[row * inputs + start + i]!);
        const w = Array.from({ length: 32 }, (_, i) => floats[(start + i) * outputs + column]!);
        const [stepOfX, stepOfW] = [largest(x) / 127, largest(w) / 127];
        for (let i = 0; i < 32; i++) {
          exact += x[i]! * w[i]!;
          bound += (Math.abs(x[i]!) * stepOfW + (Math.abs(w[i]!) + stepOfW) * stepOfX) / 2;
        }
      }
      const difference = Math.abs(product[row * outputs + column]! - exact);
      assert(difference <= bound, `row ${row}, column ${column}: ${difference} is above ${bound}`);
    }
  }
});

test('several matrices over one input give what each gives alone', async () => {
  const other = makeWeight([inputs, 64], 128);
  const alone = await Promise.all([weight, other].map((matrix) => runBlocks(values, rows, [matrix])));
  const joined = await runBlocks(values, rows, [weight, other]);
  for (let row = 0; row < rows; row++) {
    const parts = [
      alone[0]!.subarray(row * 96, (row + 1) * 96),
      alone[1]!.subarray(row * 64, (row + 1) * 64),
    ];
    assert.deepEqual(joined.slice(row * 160, (row + 1) * 160), Float32Array.of(...parts[0]!, ...parts[1]!));
  }
});

test('a row of a block-quantised product does not depend on the rows beside it', async () => {
  const together = await runBlocks(values, rows, [weight]);
  for (let row = 0; row < rows; row++) {
    const alone = await runBlocks(values.slice(row * inputs, (row + 1) * inputs), 1, [weight]);
    assert.deepEqual(alone, together.slice(row * outputs, (row + 1) * outputs), `row ${row}`);
  }
});

test('the token matrix keeps its published bytes when they lie around 128, and its values when they do not', () => {
  for (const zeroPoint of [128, 113]) {
    const tokens = makeWeight([64, 96], zeroPoint);
    const { bytes, scales, inputs: width, outputs: count } = tokenBlocks(tokens);
    assert.deepEqual([width, count], [96, 64]);
    if (zeroPoint === 128) assert.equal(bytes, tokens.bytes);
    for (const [i, value] of toFloats(tokens).entries()) {
      const scale = scales[i >> 5]!;
      assert(Math.abs((bytes[i]! - 128) * scale - value) <= scale / 2 + 1e-6);
    }
  }
});

for (const integers of ['signed', 'unsigned'] as const) {
  test(`a row-quantised product with ${integers} weights errs by the rounding of its own row only`, async () => {
    const product = await run(values, rows, (graph, x) =>
      createRowQuantisedProduct(graph, integers)(x, 'w', weight),
    );
    const floats = toFloats(weight);
    for (let row = 0; row < rows; row++) {
      const x = values.subarray(row * inputs, (row + 1) * inputs);
      const step = largest(x) / 127;
      for (let column = 0; column < outputs; column++) {
        let [exact, bound] = [0, 1e-5];
        for (const [i, value] of x.entries()) {
          const w = floats[i * outputs + column]!;
          exact += value * w;
          bound += Math.abs(w) * step * 0.501;
        }
        const difference = Math.abs(product[row * outputs + column]! - exact);
        assert(difference <= bound, `row ${row}, column ${column}: ${difference} is above ${bound}`);
      }
    }
  });
}

function runBlocks(input: Float32Array, count: number, matrices: QuantisedWeight[]): Promise<Float32Array> {
  return run(input, count, (graph, x) => blockQuantisedProduct(graph, x, 'w', toBlocks(matrices)));
}

async function run(
  input: Float32Array,
  count: number,
  multiply: (graph: GraphBuilder, x: TensorName) => TensorName,
): Promise<Float32Array> {
  const graph = new GraphBuilder();
  const product = multiply(graph, graph.input('x', 'float32', ['rows', inputs]));
  graph.nodeTo(['y'], 'Identity', [product]);
  graph.output('y', 'float32', ['rows', 'outputs']);
  const session = await InferenceSession.create(Buffer.concat(graph.model('product')), {
    intraOpNumThreads: 1,
  });
  const { y } = await session.run({ x: new Tensor('float32', input, [count, inputs]) });
  const result = Float32Array.from(y!.data as Float32Array);
  await session.release();
  return result;
}

function makeWeight(shape: [number, number], zeroPoint: number): QuantisedWeight {
  const bytes = Uint8Array.from({ length: shape[0] * shape[1] }, () => {
    return Math.max(0, Math.min(255, Math.round(zeroPoint + 30 * normal())));
  });
  return { shape, bytes, scale: 0.004, zeroPoint };
}

function largest(numbers: ArrayLike<number>): number {
  return Math.max(...Array.from(numbers, Math.abs));
}

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
