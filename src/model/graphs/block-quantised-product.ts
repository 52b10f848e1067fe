import type { GraphBuilder, TensorName } from '../onnx/graph-builder.ts';
import { type QuantisedWeight, toFloats } from '../weights/published-weights.ts';

const block = 32;

/** Weights in blocks of 32 along the inputs, each with its own scale, stored [outputs, blocks, 32] around 128. */
export type BlockWeights = { inputs: number; outputs: number; bytes: Uint8Array; scales: Float32Array };

/**
 * Matrix products for few rows (the decoder), whose time goes into reading weights from memory, so that these have 8 bits. Inputs are
 * quantised block by block, so that the result of a row does not depend on the other rows of the batch.
 */
export function blockQuantisedProduct(
  graph: GraphBuilder,
  input: TensorName,
  name: string,
  weights: BlockWeights,
  bias?: Float32Array,
): TensorName {
  const { inputs, outputs } = weights;
  const operands = [
    input,
    graph.weight(name, weights.bytes, [outputs, inputs / block, block]),
    graph.weight(`${name}.scales`, weights.scales, [weights.scales.length]),
  ];
  if (bias) operands.push('', '', graph.weight(`${name}.bias`, bias, [outputs]));
  return graph.contrib('MatMulNBits', operands, {
    K: inputs,
    N: outputs,
    bits: 8,
    block_size: block,
    accuracy_level: 4,
  });
}

/** Several matrices over the same input become one, so that the input is quantised and the work is shared out once. */
export function toBlocks(matrices: QuantisedWeight[]): BlockWeights {
  const inputs = matrices[0]!.shape[0]!;
  const outputs = matrices.reduce((sum, matrix) => sum + matrix.shape[1]!, 0);
  const rows = new Float32Array(outputs * inputs);
  let firstRow = 0;
  for (const matrix of matrices) {
    transpose(toFloats(matrix), inputs, matrix.shape[1]!, rows.subarray(firstRow * inputs));
    firstRow += matrix.shape[1]!;
  }
  return { inputs, outputs, ...quantiseBlocks(rows) };
}

/** The token matrix is published [tokens, width], which already is the order wanted here. */
export function tokenBlocks(tokens: QuantisedWeight): BlockWeights {
  const [outputs, inputs] = tokens.shape as [number, number];
  if (tokens.zeroPoint !== 128) return { inputs, outputs, ...quantiseBlocks(toFloats(tokens)) };
  return {
    inputs,
    outputs,
    bytes: tokens.bytes,
    scales: new Float32Array((outputs * inputs) / block).fill(tokens.scale),
  };
}

function transpose(floats: Float32Array, rows: number, columns: number, to: Float32Array): void {
  const tile = 32;
  for (let top = 0; top < rows; top += tile) {
    for (let left = 0; left < columns; left += tile) {
      for (let row = top; row < top + tile; row++) {
        for (let column = left; column < left + tile; column++)
          to[column * rows + row] = floats[row * columns + column]!;
      }
    }
  }
}

function quantiseBlocks(floats: Float32Array): { bytes: Uint8Array; scales: Float32Array } {
  const bytes = new Uint8Array(floats.length);
  const scales = new Float32Array(floats.length / block);
  for (let start = 0; start < floats.length; start += block) {
    let largest = 0;
    for (let i = start; i < start + block; i++) largest = Math.max(largest, Math.abs(floats[i]!));
    const scale = largest / 127 || 1;
    scales[start / block] = scale;
    for (let i = start; i < start + block; i++) bytes[i] = Math.round(floats[i]! / scale) + 128;
  }
  return { bytes, scales };
}
