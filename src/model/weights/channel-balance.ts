import { type QuantisedWeight, toFloats } from './published-weights.ts';

/** A matrix [inputs, outputs] in 8 bits around `zeroPoint`, with one scale or one for each output. */
export type IntegerWeight = {
  shape: number[];
  bytes: Uint8Array;
  zeroPoint: number;
  scale: number | Float32Array;
};

/** A matrix in floats, for graphs that compute in floats. */
export type FloatWeight = { shape: number[]; floats: Float32Array };

/** A layer norm's gain and offset. */
export type Norm = { gain: Float32Array; offset: Float32Array };

/** How much of the imbalance moves from the inputs into the weights. */
const share = 0.6;

/**
 * A few channels of Whisper's states are far larger than the rest and would take all of the 8 bits of their row. Dividing each
 * channel by a factor and multiplying the matrices' rows by it changes nothing in exact arithmetic and evens the channels out
 * (SmoothQuant, Xiao et al. 2022). How large a channel gets is read off the layer norm before it, so no recordings are needed.
 */
export function balanceChannels(
  norm: Norm,
  matrices: QuantisedWeight[],
): { norm: Norm; matrices: IntegerWeight[] } {
  const largestInput = norm.gain.map((gain, channel) => 3 * Math.abs(gain) + Math.abs(norm.offset[channel]!));
  const floats = matrices.map(toFloats);
  const factors = channelFactors(largestInput, largestInRows(floats, largestInput.length));
  return {
    norm: {
      gain: norm.gain.map((gain, channel) => gain / factors[channel]!),
      offset: norm.offset.map((offset, channel) => offset / factors[channel]!),
    },
    matrices: matrices.map(({ shape }, index) => quantiseColumns(floats[index]!, shape[1]!, factors)),
  };
}

/** A matrix in 8 bits as published, or quantised again where an adapter changed it. */
export function toIntegers(matrix: QuantisedWeight): IntegerWeight {
  if (!matrix.delta) return matrix;
  const [rows, columns] = matrix.shape as [number, number];
  return quantiseColumns(toFloats(matrix), columns, new Float32Array(rows).fill(1));
}

function channelFactors(largestInput: Float32Array, largestWeight: Float32Array): Float32Array {
  return largestInput.map((input, channel) => {
    return Math.max(input, 1e-4) ** share / Math.max(largestWeight[channel]!, 1e-4) ** (1 - share);
  });
}

function largestInRows(matrices: Float32Array[], rows: number): Float32Array {
  const largest = new Float32Array(rows);
  for (const matrix of matrices) {
    const columns = matrix.length / rows;
    for (let i = 0; i < matrix.length; i++) {
      const row = Math.floor(i / columns);
      largest[row] = Math.max(largest[row]!, Math.abs(matrix[i]!));
    }
  }
  return largest;
}

/** Multiplies each row by its factor and quantises each column with a scale of its own. */
function quantiseColumns(matrix: Float32Array, columns: number, factors: Float32Array): IntegerWeight {
  const scale = new Float32Array(columns);
  const rows = matrix.length / columns;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      matrix[at]! *= factors[row]!;
      scale[column] = Math.max(scale[column]!, Math.abs(matrix[at]!) / 127);
    }
  }
  const bytes = new Uint8Array(matrix.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      bytes[at] = Math.round(matrix[at]! / (scale[column] || 1)) + 128;
    }
  }
  return { shape: [rows, columns], bytes, zeroPoint: 128, scale };
}
