import { GraphBuilder, type TensorName } from '../onnx/graph-builder.ts';
import { readFields } from '../onnx/protobuf.ts';

/**
 * Silero's voice-activity network (https://github.com/snakers4/silero-vad), rewritten to take many frames in one call.
 *
 * As published, one call takes 512 samples after 64 of context, and most of its time goes into starting some hundred small
 * operators. Only the LSTM needs to know the past. Everything before it is here a handful of large matrix products over all frames at
 * once. Numbers in comments are those of the 16 kHz branch, the only one that is used.
 *
 * inputs: `frames` [n, 576], `state` [2, 1, 128]; outputs: `probabilities` [n], `nextState` [2, 1, 128]
 */
export function buildVoiceActivityGraph(published: Uint8Array): Uint8Array[] {
  const weights = readWeights(published);
  const graph = new GraphBuilder();
  const frames = graph.input('frames', 'float32', ['n', frameSamples]);
  const state = graph.input('state', 'float32', [2, 1, hiddenSize]);
  const features = encode(graph, weights, magnitudes(graph, weights, frames));
  const hidden = recur(graph, weights, features, state);
  const score = graph.node('MatMul', [
    graph.node('Relu', [hidden]),
    graph.weight('decision.weight', weights.take('decoder.decoder.2.weight', [1, hiddenSize, 1]), [
      hiddenSize,
    ]),
  ]);
  const bias = graph.weight('decision.bias', weights.take('decoder.decoder.2.bias', [1]), [1]);
  graph.nodeTo(['probabilities'], 'Sigmoid', [graph.node('Add', [score, bias])]);
  graph.output('probabilities', 'float32', ['n']);
  graph.output('nextState', 'float32', [2, 1, hiddenSize]);
  return graph.model('voice-activity');
}

const frameSamples = 576;
const hopSamples = 128;
const transformSamples = 256;
const bins = 129;
const hiddenSize = 128;

/** The short-time spectrum of each frame, [n, 4, 129]: the last of four transforms sees 64 samples mirrored at the end. */
function magnitudes(graph: GraphBuilder, weights: Weights, frames: TensorName): TensorName {
  const padded = graph.node('Pad', [frames, graph.ints(0, 0, 0, 64)], { mode: 'reflect' });
  const hops = graph.node('Reshape', [padded, graph.ints(-1, 5, hopSamples)]);
  const first = slice(graph, hops, 1, 0, 4);
  const second = slice(graph, hops, 1, 1, 5);
  const windows = graph.node('Concat', [first, second], { axis: 2 });
  const basis = weights.take('stft.forward_basis_buffer', [2 * bins, 1, transformSamples]);
  const matrix = transpose(basis, 2 * bins, transformSamples);
  const spectrum = graph.node('MatMul', [
    windows,
    graph.weight('stft', matrix, [transformSamples, 2 * bins]),
  ]);
  const squares = graph.node('Mul', [spectrum, spectrum]);
  const power = graph.node('Add', [
    slice(graph, squares, 2, 0, bins),
    slice(graph, squares, 2, bins, 2 * bins),
  ]);
  return graph.node('Sqrt', [power]);
}

/**
 * Four convolutions of width 3 over 4, 4, 2 and 1 positions, padded by 1. A position beyond the edge is zero, so the taps of the
 * kernel that would meet only such positions are left out. [n, 4, 129] → [n, 128]
 */
function encode(graph: GraphBuilder, weights: Weights, spectrum: TensorName): TensorName {
  const edged = graph.node('Pad', [spectrum, graph.ints(0, 1, 0, 0, 1, 0)]);
  const around = [0, 1, 2].map((tap) => slice(graph, edged, 1, tap, tap + 4));
  const first = convolve(
    graph,
    weights,
    0,
    graph.node('Concat', around, { axis: 2 }),
    [bins, 128],
    [0, 1, 2],
  );

  const left = graph.node('Reshape', [
    graph.node('Pad', [slice(graph, first, 1, 0, 2), graph.ints(0, 1, 0, 0, 0, 0)]),
    graph.ints(-1, 1, 3 * 128),
  ]);
  const right = graph.node('Reshape', [slice(graph, first, 1, 1, 4), graph.ints(-1, 1, 3 * 128)]);
  const second = convolve(
    graph,
    weights,
    1,
    graph.node('Concat', [left, right], { axis: 1 }),
    [128, 64],
    [0, 1, 2],
  );

  const pair = graph.node('Reshape', [second, graph.ints(-1, 2 * 64)]);
  const third = convolve(graph, weights, 2, pair, [64, 64], [1, 2]);
  return convolve(graph, weights, 3, third, [64, 128], [1]);
}

function convolve(
  graph: GraphBuilder,
  weights: Weights,
  layer: number,
  input: TensorName,
  [from, to]: [number, number],
  taps: number[],
): TensorName {
  const name = `encoder.${layer}.reparam_conv`;
  const kernel = weights.take(`${name}.weight`, [to, from, 3]);
  const matrix = new Float32Array(taps.length * from * to);
  taps.forEach((tap, index) => {
    for (let i = 0; i < from; i++) {
      for (let o = 0; o < to; o++) matrix[(index * from + i) * to + o] = kernel[(o * from + i) * 3 + tap]!;
    }
  });
  const product = graph.node('MatMul', [
    input,
    graph.weight(`${name}.weight`, matrix, [taps.length * from, to]),
  ]);
  const bias = graph.weight(`${name}.bias`, weights.take(`${name}.bias`, [to]), [to]);
  return graph.node('Relu', [graph.node('Add', [product, bias])]);
}

/** The LSTM over the frames in order: [n, 128] → [n, 128]. */
function recur(graph: GraphBuilder, weights: Weights, features: TensorName, state: TensorName): TensorName {
  const gates = 4 * hiddenSize;
  const matrix = (name: string) => onnxGates(weights.take(`decoder.rnn.${name}`, [gates, hiddenSize]));
  const vector = (name: string) => onnxGates(weights.take(`decoder.rnn.${name}`, [gates]));
  const biases = Float32Array.from([...vector('bias_ih'), ...vector('bias_hh')]);
  graph.nodeTo(
    ['hidden', 'lastHidden', 'lastCell'],
    'LSTM',
    [
      graph.node('Reshape', [features, graph.ints(-1, 1, hiddenSize)]),
      graph.weight('lstm.input', matrix('weight_ih'), [1, gates, hiddenSize]),
      graph.weight('lstm.hidden', matrix('weight_hh'), [1, gates, hiddenSize]),
      graph.weight('lstm.bias', biases, [1, 2 * gates]),
      '',
      slice(graph, state, 0, 0, 1),
      slice(graph, state, 0, 1, 2),
    ],
    { hidden_size: hiddenSize },
  );
  graph.nodeTo(['nextState'], 'Concat', ['lastHidden', 'lastCell'], { axis: 0 });
  return graph.node('Reshape', ['hidden', graph.ints(-1, hiddenSize)]);
}

/** torch stores the gates as input, forget, cell, output; ONNX as input, output, forget, cell. */
function onnxGates(rows: Float32Array): Float32Array {
  const size = rows.length / 4;
  const gate = (index: number) => rows.subarray(index * size, (index + 1) * size);
  const ordered = new Float32Array(rows.length);
  [0, 3, 1, 2].forEach((from, to) => {
    ordered.set(gate(from), to * size);
  });
  return ordered;
}

function slice(graph: GraphBuilder, tensor: TensorName, axis: number, from: number, to: number): TensorName {
  return graph.node('Slice', [tensor, graph.ints(from), graph.ints(to), graph.ints(axis)]);
}

function transpose(matrix: Float32Array, rows: number, columns: number): Float32Array {
  const transposed = new Float32Array(matrix.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) transposed[c * rows + r] = matrix[r * columns + c]!;
  }
  return transposed;
}

type Weights = { take(name: string, shape: number[]): Float32Array };

/** The published file is one `If` on the sample rate; each branch holds its weights as `Constant` nodes. */
function readWeights(published: Uint8Array): Weights {
  const tensors = new Map<string, { shape: number[]; floats: Float32Array }>();
  const model = child(published, 7);
  const choice = [...children(model, 1)].find((node) => text(child(node, 4)) === 'If');
  const branch =
    choice && [...children(choice, 5)].find((attribute) => text(child(attribute, 1)) === 'then_branch');
  if (!branch) throw new Error('the published voice-activity model has no branch for 16 kHz');
  for (const node of children(child(branch, 6), 1)) {
    if (text(child(node, 4)) !== 'Constant') continue;
    const tensor = child(child(node, 5), 5);
    const name = text(child(tensor, 8));
    if (name) tensors.set(name, { shape: shapeOf(tensor), floats: floatsOf(tensor) });
  }
  return {
    take(name, shape) {
      const found = tensors.get(name);
      if (found?.shape.join() !== shape.join()) {
        throw new Error(`the published voice-activity model has no ${name} of shape ${shape.join('×')}`);
      }
      return found.floats;
    },
  };
}

function* children(message: Uint8Array, number: number): Generator<Uint8Array> {
  for (const field of readFields(message)) if (field.number === number) yield field.bytes;
}

function child(message: Uint8Array, number: number): Uint8Array {
  for (const bytes of children(message, number)) return bytes;
  return new Uint8Array(0);
}

function shapeOf(tensor: Uint8Array): number[] {
  const shape: number[] = [];
  for (const field of readFields(tensor)) if (field.number === 1) shape.push(field.varint);
  return shape;
}

const floatsOf = (tensor: Uint8Array): Float32Array =>
  new Float32Array(Uint8Array.from(child(tensor, 9)).buffer);

const decoder = new TextDecoder();
const text = (bytes: Uint8Array): string => decoder.decode(bytes);
