import { GraphBuilder, type TensorName } from './graph-builder.ts';
import { type PublishedWeights, toFloats } from './published-weights.ts';
import { createRowQuantisedProduct, type IntegerKind, scaleFor } from './row-quantised-product.ts';
import { fullContextFrames, headWidth, type WhisperShape } from './whisper-shape.ts';

/**
 * Features in, and out comes what the decoder's cross-attention reads for every token: keys [heads, 64, frames] and values
 * [heads, frames, 64] of each decoder layer in 8 bits, with a scale for each channel. The hidden states themselves stay inside.
 */
export function buildEncoderGraph(
  weights: PublishedWeights,
  shape: WhisperShape,
  integers: IntegerKind,
): GraphBuilder {
  const { width, heads } = shape;
  const graph = new GraphBuilder();
  const product = createRowQuantisedProduct(graph, integers);
  const matrix = (name: string) => required(weights.matrices, name);
  const vector = (name: string) =>
    graph.weight(name, required(weights.vectors, name), [required(weights.vectors, name).length]);
  const multiply = (input: TensorName, name: string) => product(input, name, matrix(name));
  const batched = (tensor: TensorName) => graph.node('Unsqueeze', [tensor, graph.ints(0)]);

  const mel = graph.input('mel', 'float32', [1, 80, 'mel_frames']);
  let states = addPositions(convolve(convolve(mel, 'encoder.conv1', 1), 'encoder.conv2', 2));
  let normal = normalise(states, 'encoder.layers.0.self_attn_layer_norm');
  for (let layer = 0; layer < shape.encoderLayers; layer++) {
    const name = `encoder.layers.${layer}`;
    const attended = multiply(attend(normal, `${name}.self_attn`), `${name}.self_attn.out_proj`);
    [normal, states] = addAndNormalise(
      attended,
      `${name}.self_attn.out_proj.bias`,
      states,
      `${name}.final_layer_norm`,
    );
    const inner = graph.contrib('BiasGelu', [multiply(normal, `${name}.fc1`), vector(`${name}.fc1.bias`)]);
    const last = layer === shape.encoderLayers - 1;
    const next = last ? 'encoder.layer_norm' : `encoder.layers.${layer + 1}.self_attn_layer_norm`;
    [normal, states] = addAndNormalise(multiply(inner, `${name}.fc2`), `${name}.fc2.bias`, states, next);
  }
  const scales: TensorName[] = [];
  for (let layer = 0; layer < shape.decoderLayers; layer++) giveCrossAttention(normal, layer);
  graph.nodeTo(['cross_scales'], 'Concat', scales, { axis: 0 });
  graph.output('cross_scales', 'float32', [2 * shape.decoderLayers, width]);
  return graph;

  function convolve(input: TensorName, name: string, stride: number): TensorName {
    const kernel = matrix(name);
    const operands = [input, graph.weight(name, toFloats(kernel), kernel.shape), vector(`${name}.bias`)];
    return graph.contrib('Gelu', [
      graph.node('Conv', operands, { kernel_shape: [3], strides: [stride], pads: [1, 1] }),
    ]);
  }

  /** [1, width, frames] → [frames, width] plus as many of the position vectors as there are frames: any context length. */
  function addPositions(convolved: TensorName): TensorName {
    const rows = graph.node('Squeeze', [
      graph.node('Transpose', [convolved], { perm: [0, 2, 1] }),
      graph.ints(0),
    ]);
    const frames = graph.node('Slice', [graph.node('Shape', [rows]), graph.ints(0), graph.ints(1)]);
    const positions = required(weights.vectors, 'encoder.embed_positions.weight');
    const table = graph.weight('encoder.embed_positions', positions, [fullContextFrames, width]);
    return graph.node('Add', [rows, graph.node('Slice', [table, graph.ints(0), frames, graph.ints(0)])]);
  }

  function attend(input: TensorName, name: string): TensorName {
    const operands = ['q', 'k', 'v'].map((part) => batched(multiply(input, `${name}.${part}_proj`)));
    const bias = new Float32Array(3 * width); // keys have none
    bias.set(required(weights.vectors, `${name}.q_proj.bias`), 0);
    bias.set(required(weights.vectors, `${name}.v_proj.bias`), 2 * width);
    operands.push(graph.weight(`${name}.bias`, bias, [bias.length]));
    return graph.node('Squeeze', [
      graph.contrib('MultiHeadAttention', operands, { num_heads: heads }),
      graph.ints(0),
    ]);
  }

  function normalise(input: TensorName, name: string): TensorName {
    const operands = [input, vector(`${name}.weight`), vector(`${name}.bias`)];
    return graph.node('LayerNormalization', operands, { axis: -1, epsilon: 1e-5 });
  }

  /** Plain additions: onnxruntime's fused SkipLayerNormalization takes twice as long as its parts. */
  function addAndNormalise(
    result: TensorName,
    bias: string,
    running: TensorName,
    norm: string,
  ): [TensorName, TensorName] {
    const sum = graph.node('Add', [graph.node('Add', [result, vector(bias)]), running]);
    return [normalise(sum, norm), sum];
  }

  function giveCrossAttention(hidden: TensorName, layer: number): void {
    const name = `decoder.layers.${layer}.encoder_attn`;
    const keys = quantiseChannels(multiply(hidden, `${name}.k_proj`));
    graph.nodeTo([`cross_keys.${layer}`], 'Reshape', [
      graph.node('Transpose', [keys], { perm: [1, 0] }),
      graph.ints(heads, headWidth, -1),
    ]);
    graph.output(`cross_keys.${layer}`, storage(), [heads, headWidth, 'frames']);
    const values = quantiseChannels(
      graph.node('Add', [multiply(hidden, `${name}.v_proj`), vector(`${name}.v_proj.bias`)]),
    );
    const byHead = graph.node('Reshape', [values, graph.ints(-1, heads, headWidth)]);
    graph.nodeTo([`cross_values.${layer}`], 'Transpose', [byHead], { perm: [1, 0, 2] });
    graph.output(`cross_values.${layer}`, storage(), [heads, 'frames', headWidth]);
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

function required<T>(tensors: Map<string, T>, name: string): T {
  const tensor = tensors.get(name);
  if (tensor === undefined) throw new Error(`the published weights have no ${name}`);
  return tensor;
}
