import { readFile } from 'node:fs/promises';
import { required } from '../onnx/required.ts';
import type { LowRankDelta } from './low-rank-product.ts';
import type { PublishedWeights } from './published-weights.ts';

/** What was learnt on top of the published weights: training/README.md describes the file. */
type AdapterHeader = {
  format: string;
  model: string;
  kind: 'int8' | 'float16';
  scale: number;
  tensors: { name: string; rank: number; inputs: number; outputs: number; a: Offsets; b: Offsets }[];
  row: { token: number; width: number; offset: number };
};
/** Where the values and their scales begin, in bytes. */
type Offsets = { values: number; scales?: number };

const format = 'siann-adapter-1';

/** Gives each matrix its delta, and changes the embedding of the token that stands for Taiwanese. */
export async function addAdapter(weights: PublishedWeights, path: string, model: string): Promise<void> {
  const content = await readFile(path);
  const { header, body } = parse(content, path);
  if (header.model !== model)
    throw new Error(`The adapter ${path} is for ${header.model}, not for ${model}.`);
  for (const { name, rank, inputs, outputs, a, b } of header.tensors) {
    const matrix = required(weights.matrices, name);
    if (matrix.shape[0] !== inputs || matrix.shape[1] !== outputs) {
      throw new Error(`The adapter ${path} does not fit ${name}.`);
    }
    const delta: LowRankDelta = {
      rank,
      a: take(body, header.kind, a, rank, inputs).map((value) => value * header.scale),
      b: take(body, header.kind, b, rank, outputs),
    };
    weights.matrices.set(name, { ...matrix, delta });
  }
  addToRow(weights, header.row, halves(body, header.row.offset, header.row.width));
}

function parse(content: Buffer, path: string): { header: AdapterHeader; body: Buffer } {
  const length = content.length < 4 ? 0 : content.readUInt32LE();
  const text = content.subarray(4, 4 + length).toString('utf8');
  try {
    const header: AdapterHeader = JSON.parse(text);
    if (header.format === format) return { header, body: content.subarray(4 + length) };
  } catch {
    // falls through to the same sentence
  }
  throw new Error(`${path} is not an adapter of the format ${format}.`);
}

/** [rank, n] as real numbers; in 8 bits, each row has a scale of its own. */
function take(
  body: Buffer,
  kind: AdapterHeader['kind'],
  offsets: Offsets,
  rank: number,
  n: number,
): Float32Array {
  if (kind === 'float16') return halves(body, offsets.values, rank * n);
  const values = new Float32Array(rank * n);
  for (let i = 0; i < values.length; i++) {
    values[i] = body.readInt8(offsets.values + i) * body.readFloatLE(offsets.scales! + 4 * Math.floor(i / n));
  }
  return values;
}

/** IEEE 754 half precision. */
function halves(body: Buffer, offset: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => {
    const bits = body.readUInt16LE(offset + 2 * i);
    const sign = bits & 0x8000 ? -1 : 1;
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
  });
}

function addToRow(
  { matrices }: PublishedWeights,
  { token, width }: AdapterHeader['row'],
  delta: Float32Array,
): void {
  const tokens = required(matrices, 'decoder.embed_tokens');
  const bytes = Uint8Array.from(tokens.bytes);
  for (let i = 0; i < width; i++) {
    const at = token * width + i;
    const value = (bytes[at]! - tokens.zeroPoint) * tokens.scale + delta[i]!;
    bytes[at] = Math.min(255, Math.max(0, Math.round(value / tokens.scale) + tokens.zeroPoint));
  }
  matrices.set('decoder.embed_tokens', { ...tokens, bytes });
}
