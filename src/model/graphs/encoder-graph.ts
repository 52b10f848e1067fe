import { GraphBuilder, type TensorName } from '../onnx/graph-builder.ts';
import { required } from '../onnx/required.ts';
import {
  balanceChannels,
  type FloatWeight,
  type IntegerWeight,
  toIntegers,
} from '../weights/channel-balance.ts';
import { type QuantisedWeight, toFloats } from '../weights/published-weights.ts';
import { fullContextFrames, headWidth, type WhisperShape } from '../whisper-shape.ts';
import { createRowQuantisedProduct, scaleFor } from './row-quantised-product.ts';
import type { WhisperGraphOptions } from './whisper-graph-options.ts';

/** One part of the small model is a fourth of its encoder. After each part, a more urgent window can come in. */
const layersPerPart = 3;

/** The encoder is cut into this many graphs, which are run one after the other. */
export function encoderParts({ encoderLayers }: WhisperShape): number {
  return Math.ceil(encoderLayers / layersPerPart);
}

export type EncoderGraphOptions = WhisperGraphOptions & {
  /** Which part, counted from 0. */
  part: number;
};

/**
 * One part of the encoder. The first part takes features, with the position in time of each frame; hidden states go from one part to
 * the next; the last part gives what the decoder's cross-attention reads for every token: keys [heads, 64, frames] and values
 * [heads, frames, 64] of each decoder layer in 8 bits, with a scale for each channel.
 */
export function buildEncoderGraph({
  weights,
  shape,
  integers,
  part,
  outside,
  precision = 'int8',
}: EncoderGraphOptions): GraphBuilder {
  const { width, heads } = shape;
  const graph = new GraphBuilder('', outside);
  const quantisedProduct = createRowQuantisedProduct(graph, integers);
  const matrix = (name: string) => required(weights.matrices, name);
  const vector = (name: string) =>
    graph.weight(name, required(weights.vectors, name), [required(weights.vectors, name).length]);
  const batched = (tensor: TensorName) => graph.node('Unsqueeze', [tensor, graph.ints(0)]);
  const scales: TensorName[] = [];

  let states = part === 0 ? takeFeatures() : graph.input('states', 'float32', ['frames', width]);
  const end = Math.min((part + 1) * layersPerPart, shape.encoderLayers);
  for (let layer = part * layersPerPart; layer < end; layer++) {
    const name = `encoder.layers.${layer}`;
    states = addResult(states, attend(name), `${name}.self_attn.out_proj.bias`);
    states = addResult(states, feedForward(name), `${name}.fc2.bias`);
  }
  if (end === shape.encoderLayers) giveCrossAttention();
  else giveStates();
  return graph;

  function takeFeatures(): TensorName {
    const mel = graph.input('mel', 'float32', [1, 80, 'mel_frames']);
    const positions = graph.input('positions', 'int64', ['frames']);
    return addPositions(convolve(convolve(mel, 'encoder.conv1', 1), 'encoder.conv2', 2), positions);
  }

  function giveStates(): void {
    graph.nodeTo(['next_states'], 'Identity', [states]);
    graph.output('next_states', 'float32', ['frames', width]);
  }

  function convolve(input: TensorName, name: string, stride: number): TensorName {
    const kernel = matrix(name);
    const operands = [input, graph.weight(name, toFloats(kernel), kernel.shape), vector(`${name}.bias`)];
    return graph.contrib('Gelu', [
      graph.node('Conv', operands, { kernel_shape: [3], strides: [stride], pads: [1, 1] }),
    ]);
  }

  /** [1, width, frames] → [frames, width], with the vector of each frame's position added. */
  function addPositions(convolved: TensorName, positions: TensorName): TensorName {
    const rows = graph.node('Squeeze', [
      graph.node('Transpose', [convolved], { perm: [0, 2, 1] }),
      graph.ints(0),
    ]);
    const vectors = required(weights.vectors, 'encoder.embed_positions.weight');
    const table = graph.weight('encoder.embed_positions', vectors, [fullContextFrames, width]);
    return graph.node('Add', [rows, graph.node('Gather', [table, positions])]);
  }

  function attend(layer: string): TensorName {
    const name = `${layer}.self_attn`;
    const parts = ['q', 'k', 'v'].map((part) => `${name}.${part}_proj`);
    const { input, matrices } = normalise(`${layer}.self_attn_layer_norm`, parts);
    const operands = parts.map((part, index) => batched(product(input, part, matrices[index]!)));
    const bias = new Float32Array(3 * width); // keys have none
    bias.set(required(weights.vectors, `${name}.q_proj.bias`), 0);
    bias.set(required(weights.vectors, `${name}.v_proj.bias`), 2 * width);
    operands.push(graph.weight(`${name}.bias`, bias, [bias.length]));
    const mixed = graph.contrib('MultiHeadAttention', operands, { num_heads: heads });
    const out = `${name}.out_proj`;
    return product(graph.node('Squeeze', [mixed, graph.ints(0)]), out, stored(matrix(out)));
  }

  /** In parts as wide as the network, each quantised by itself: single values of the inner states are so large that a whole row would lose its precision. */
  function feedForward(layer: string): TensorName {
    const [first, second] = [`${layer}.fc1`, `${layer}.fc2`];
    const { input, matrices } = normalise(`${layer}.final_layer_norm`, [first]);
    const bias = required(weights.vectors, `${first}.bias`);
    const back = stored(matrix(second));
    const results: TensorName[] = [];
    for (let start = 0; start < bias.length; start += width) {
      const part = `${first}.${start}`;
      const partBias = graph.weight(`${part}.bias`, bias.subarray(start, start + width), [width]);
      const inner = product(input, part, columns(matrices[0]!, start, start + width));
      const active = graph.contrib('BiasGelu', [inner, partBias]);
      results.push(product(active, `${second}.${start}`, rows(back, start, start + width)));
    }
    return graph.node('Sum', results);
  }

  /** Normalises the states for the matrices that read them, with the channels' sizes evened out between norm and matrices. */
  function normalise(name: string, readers: string[]): { input: TensorName; matrices: StoredWeight[] } {
    const [gain, offset] = ['weight', 'bias'].map((part) => required(weights.vectors, `${name}.${part}`));
    const norm = { gain: gain!, offset: offset! };
    const balanced =
      precision === 'int8'
        ? balanceChannels(norm, readers.map(matrix))
        : { norm, matrices: readers.map((reader) => stored(matrix(reader))) };
    const operands = [
      states,
      graph.weight(`${name}.weight`, balanced.norm.gain, [width]),
      graph.weight(`${name}.bias`, balanced.norm.offset, [width]),
    ];
    const input = graph.node('LayerNormalization', operands, { axis: -1, epsilon: 1e-5 });
    return { input, matrices: balanced.matrices };
  }

  function stored(weight: QuantisedWeight): StoredWeight {
    return precision === 'int8' ? toIntegers(weight) : { shape: weight.shape, floats: toFloats(weight) };
  }

  function product(input: TensorName, name: string, weight: StoredWeight): TensorName {
    if (!('floats' in weight)) return quantisedProduct(input, name, weight);
    return graph.node('MatMul', [input, graph.weight(name, weight.floats, weight.shape)]);
  }

  /** Plain additions: onnxruntime's fused SkipLayerNormalization takes twice as long as its parts. */
  function addResult(running: TensorName, result: TensorName, bias: string): TensorName {
    return graph.node('Add', [graph.node('Add', [result, vector(bias)]), running]);
  }

  function giveCrossAttention(): void {
    const names = Array.from(
      { length: shape.decoderLayers },
      (_, layer) => `decoder.layers.${layer}.encoder_attn`,
    );
    const readers = names.flatMap((name) => [`${name}.k_proj`, `${name}.v_proj`]);
    const { input, matrices } = normalise('encoder.layer_norm', readers);
    for (const [layer, name] of names.entries()) {
      const keys = quantiseChannels(product(input, `${name}.k_proj`, matrices[2 * layer]!));
      const byChannel = graph.node('Transpose', [keys], { perm: [1, 0] });
      graph.nodeTo([`cross_keys.${layer}`], 'Reshape', [byChannel, graph.ints(heads, headWidth, -1)]);
      graph.output(`cross_keys.${layer}`, storage(), [heads, headWidth, 'frames']);
      const projected = product(input, `${name}.v_proj`, matrices[2 * layer + 1]!);
      const values = quantiseChannels(graph.node('Add', [projected, vector(`${name}.v_proj.bias`)]));
      const byHead = graph.node('Reshape', [values, graph.ints(-1, heads, headWidth)]);
      graph.nodeTo([`cross_values.${layer}`], 'Transpose', [byHead], { perm: [1, 0, 2] });
      graph.output(`cross_values.${layer}`, storage(), [heads, 'frames', headWidth]);
    }
    graph.nodeTo(['cross_scales'], 'Concat', scales, { axis: 0 });
    graph.output('cross_scales', 'float32', [2 * shape.decoderLayers, width]);
  }

  function quantiseChannels(input: TensorName): TensorName {
    const highest = graph.node('ReduceMax', [input, graph.ints(0)], { keepdims: 0 });
    const scale = scaleFor(graph, highest, graph.node('ReduceMin', [input, graph.ints(0)], { keepdims: 0 }));
    scales.push(graph.node('Unsqueeze', [scale, graph.ints(0)]));
    // Dividing first: onnxruntime's quantisation along the last axis takes forty times as long.
    const middle = integers === 'signed' ? Int8Array.of(0) : Uint8Array.of(128);
    const one = graph.constant(Float32Array.of(1));
    return graph.node('QuantizeLinear', [graph.node('Div', [input, scale]), one, graph.constant(middle)]);
  }

  function storage(): 'int8' | 'uint8' {
    return integers === 'signed' ? 'int8' : 'uint8';
  }
}

type StoredWeight = IntegerWeight | FloatWeight;

function columns(weight: StoredWeight, from: number, to: number): StoredWeight {
  const [rowCount, columnCount] = weight.shape as [number, number];
  const shape = [rowCount, to - from];
  const take = <Values extends Float32Array | Uint8Array>(values: Values, part: Values): Values => {
    for (let row = 0; row < rowCount; row++) {
      part.set(values.subarray(row * columnCount + from, row * columnCount + to), row * (to - from));
    }
    return part;
  };
  const size = rowCount * (to - from);
  if ('floats' in weight) return { shape, floats: take(weight.floats, new Float32Array(size)) };
  const { bytes, zeroPoint, scale } = weight;
  const partScale = typeof scale === 'number' ? scale : scale.subarray(from, to);
  return { shape, bytes: take(bytes, new Uint8Array(size)), zeroPoint, scale: partScale };
}

function rows(weight: StoredWeight, from: number, to: number): StoredWeight {
  const columnCount = weight.shape[1]!;
  const shape = [to - from, columnCount];
  const take = <Values extends Float32Array | Uint8Array>(values: Values) =>
    values.subarray(from * columnCount, to * columnCount) as Values;
  if ('floats' in weight) return { shape, floats: take(weight.floats) };
  return { ...weight, shape, bytes: take(weight.bytes) };
}
