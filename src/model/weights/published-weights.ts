import { readFile } from 'node:fs/promises';
import { type OnnxFile, readOnnx, type StoredTensor } from '../onnx/onnx-reader.ts';
import { addLowRank, type LowRankDelta } from './low-rank-product.ts';

/** A weight as published: bytes with one scale and zero point. Matrices are stored [inputs, outputs]. */
export type QuantisedWeight = {
  shape: number[];
  bytes: Uint8Array;
  scale: number;
  zeroPoint: number;
  /** What was learnt on top of it. */
  delta?: LowRankDelta;
};

/** Every tensor of the network under its path in the network, such as `encoder.layers.3.self_attn.q_proj`. */
export type PublishedWeights = {
  matrices: Map<string, QuantisedWeight>;
  vectors: Map<string, Float32Array>;
};

export async function readPublishedWeights(files: {
  encoder: string;
  decoder: string;
}): Promise<PublishedWeights> {
  const weights: PublishedWeights = { matrices: new Map(), vectors: new Map() };
  collect(readOnnx(await readFile(files.encoder)), 'encoder', weights);
  collect(readOnnx(await readFile(files.decoder)), 'decoder', weights);
  return weights;
}

/** The weight as real numbers, [inputs, outputs], with what was learnt on top of it. */
export function toFloats(weight: QuantisedWeight): Float32Array {
  const floats = new Float32Array(weight.bytes.length);
  const { bytes, scale, zeroPoint, delta } = weight;
  for (let i = 0; i < floats.length; i++) floats[i] = ((bytes[i] ?? 0) - zeroPoint) * scale;
  if (delta) addLowRank(floats, delta);
  return floats;
}

function collect(file: OnnxFile, side: 'encoder' | 'decoder', weights: PublishedWeights): void {
  for (const product of file.products) {
    const name = `${side}.${pathOf(product.name)}`;
    if (file.tensors.has(product.weight) && !weights.matrices.has(name)) {
      weights.matrices.set(name, quantised(file, product.weight));
    }
  }
  for (const [name, tensor] of file.tensors) {
    if (tensor.elementType === 'float32' && tensor.shape.length > 0 && !name.endsWith('_scale')) {
      weights.vectors.set(`${side}.${pathOf(name)}`, floats(tensor));
    }
  }
  const tokens = 'model.decoder.embed_tokens.weight_merged_0_quantized';
  if (file.tensors.has(tokens)) weights.matrices.set('decoder.embed_tokens', quantised(file, tokens));
}

/** `/model/decoder/layers.0/fc1/MatMul_quant` and `model.decoder.layers.0.fc1.bias_merged_0` both start `layers.0.fc1`. */
function pathOf(name: string): string {
  return name
    .replace(/^\//, '')
    .replaceAll('/', '.')
    .replace(/^model\.decoder\./, '')
    .replace(/\.(MatMul|Conv)_quant$/, '')
    .replace(/_merged_0$/, '');
}

function quantised(file: OnnxFile, name: string): QuantisedWeight {
  const stem = name.replace(/_quantized$/, '');
  const tensor = required(file, name);
  const scale = floats(required(file, `${stem}_scale`))[0];
  const stored = required(file, `${stem}_zero_point`).bytes[0];
  if (scale === undefined || stored === undefined) throw new Error(`${stem} has no scale or zero point`);
  if (tensor.elementType === 'uint8')
    return { shape: tensor.shape, bytes: tensor.bytes, scale, zeroPoint: stored };
  // int8 becomes uint8 by moving the origin, so that there is only one form.
  const bytes = new Uint8Array(tensor.bytes);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i] ?? 0) ^ 128;
  return { shape: tensor.shape, bytes, scale, zeroPoint: (stored ^ 128) & 255 };
}

function required(file: OnnxFile, name: string): StoredTensor {
  const tensor = file.tensors.get(name);
  if (!tensor) throw new Error(`the published model has no tensor ${name}`);
  return tensor;
}

function floats(tensor: StoredTensor): Float32Array {
  return new Float32Array(new Uint8Array(tensor.bytes).buffer);
}
