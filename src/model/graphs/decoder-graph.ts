import { GraphBuilder, type TensorName } from '../onnx/graph-builder.ts';
import { required } from '../onnx/required.ts';
import { type QuantisedWeight, toFloats } from '../weights/published-weights.ts';
import { headWidth } from '../whisper-shape.ts';
import { blockQuantisedProduct, toBlocks, tokenBlocks } from './block-quantised-product.ts';
import { scaleFor } from './row-quantised-product.ts';
import type { WhisperGraphOptions } from './whisper-graph-options.ts';

/**
 * One decoding step for a batch of windows, `steps` tokens each. The caches stay with the caller: keys and values of earlier tokens
 * are inputs, those of the new tokens come back in `new_state`, so that no cache is copied. `mask` [batch, 1, steps,
 * past + steps] says which tokens each new token may attend to (0, or −1e9), `cross_mask` says the same of frames, and `answered`
 * names the new tokens after which the next token is wanted.
 */
export function buildDecoderGraph({
  weights,
  shape,
  integers,
  outside,
  precision = 'int8',
}: WhisperGraphOptions): GraphBuilder {
  const { width, heads, vocabulary } = shape;
  const graph = new GraphBuilder('', outside);
  const matrix = (name: string) => required(weights.matrices, name);
  const values = (name: string) => required(weights.vectors, name);
  const vector = (name: string) => graph.weight(name, values(name), [values(name).length]);
  const float = (value: number) => graph.constant(Float32Array.of(value));
  const storage = integers === 'signed' ? 'int8' : 'uint8';
  const zeroPoint = graph.constant(integers === 'signed' ? Int8Array.of(0) : Uint8Array.of(128));

  const tokens = graph.input('tokens', 'int64', ['batch', 'steps']);
  const positions = graph.input('positions', 'int64', ['batch', 'steps']);
  const mask = graph.input('mask', 'float32', ['batch', 1, 'steps', 'past_and_steps']);
  const past = graph.input('past', 'int64', [1]);
  const crossMask = graph.input('cross_mask', 'float32', ['batch', 1, 'one_or_steps', 'frames']);
  const crossScales = graph.input('cross_scales', 'float32', ['batch', 2 * shape.decoderLayers, 1, width]);
  const answered = graph.input('answered', 'int64', ['answers']);
  const wantAlignment = graph.input('want_alignment', 'bool', []);
  for (let layer = 0; layer < shape.decoderLayers; layer++) {
    graph.input(`self_keys.${layer}`, 'float32', ['batch', heads, 'past', headWidth]);
    graph.input(`self_values.${layer}`, 'float32', ['batch', heads, 'past', headWidth]);
    graph.input(`cross_keys.${layer}`, storage, ['batch', heads, headWidth, 'frames']);
    graph.input(`cross_values.${layer}`, storage, ['batch', heads, 'frames', headWidth]);
  }

  const newState: TensorName[] = [];
  const attentionByLayer: TensorName[] = [];
  let states = embed();
  for (let layer = 0; layer < shape.decoderLayers; layer++) {
    const name = `decoder.layers.${layer}`;
    states = graph.node('Add', [
      states,
      selfAttend(normalise(states, `${name}.self_attn_layer_norm`), layer),
    ]);
    states = graph.node('Add', [
      states,
      crossAttend(normalise(states, `${name}.encoder_attn_layer_norm`), layer),
    ]);
    const inner = graph.contrib('Gelu', [
      multiply(normalise(states, `${name}.final_layer_norm`), `${name}.fc1`),
    ]);
    states = graph.node('Add', [states, multiply(inner, `${name}.fc2`)]);
  }
  giveLogProbabilities();
  giveNewState();
  giveAlignment();
  return graph;

  function embed(): TensorName {
    const { bytes, scale, zeroPoint: middle } = matrix('decoder.embed_tokens');
    const table = graph.weight('token_table', bytes, [vocabulary, width]);
    const rows = graph.node('Cast', [graph.node('Gather', [table, tokens])], { to: 1 });
    const embedded = graph.node('Mul', [graph.node('Sub', [rows, float(middle)]), float(scale)]);
    const positionTable = graph.weight('position_table', values('decoder.embed_positions.weight'), [
      shape.maxTokens,
      width,
    ]);
    return graph.node('Add', [embedded, graph.node('Gather', [positionTable, positions])]);
  }

  function selfAttend(input: TensorName, layer: number): TensorName {
    const name = `decoder.layers.${layer}.self_attn`;
    const joined = ['q', 'k', 'v'].map((part) => matrix(`${name}.${part}_proj`));
    const bias = new Float32Array(3 * width); // keys have none
    bias.set(values(`${name}.q_proj.bias`), 0);
    bias.set(values(`${name}.v_proj.bias`), 2 * width);
    const projected = product(input, name, joined, bias);
    const [query, key, value] = [0, 1, 2].map((part) =>
      split(projected, part * width, (part + 1) * width),
    ) as [string, string, string];
    newState.push(key, value);
    const [queries, newKeys, newValues] = [byHead(query), byHead(key), byHead(value)];
    const scaled = { transB: 1, alpha: 1 / Math.sqrt(headWidth) };
    const toPast = graph.contrib('FusedMatMul', [queries, `self_keys.${layer}`], scaled);
    const toNew = graph.contrib('FusedMatMul', [queries, newKeys], scaled);
    const scores = graph.node('Add', [graph.node('Concat', [toPast, toNew], { axis: -1 }), mask]);
    const attention = graph.node('Softmax', [scores], { axis: -1 });
    const onPast = graph.node('Slice', [attention, graph.ints(0), past, graph.ints(3)]);
    const onNew = graph.node('Slice', [attention, past, graph.ints(2 ** 31), graph.ints(3)]);
    const mixed = graph.node('Add', [
      graph.node('MatMul', [onPast, `self_values.${layer}`]),
      graph.node('MatMul', [onNew, newValues]),
    ]);
    return multiply(joinHeads(mixed), `${name}.out_proj`);
  }

  function crossAttend(input: TensorName, layer: number): TensorName {
    const name = `decoder.layers.${layer}.encoder_attn`;
    // The keys' channel scales go into the query, so that each window of the batch can have its own.
    const queries = byHead(graph.node('Mul', [multiply(input, `${name}.q_proj`), channelScale(2 * layer)]));
    const highest = graph.node('ReduceMax', [queries, graph.ints(3)], { keepdims: 1 });
    const rowScale = scaleFor(
      graph,
      highest,
      graph.node('ReduceMin', [queries, graph.ints(3)], { keepdims: 1 }),
    );
    const bytes = graph.node('QuantizeLinear', [
      graph.node('Div', [queries, rowScale]),
      float(1),
      graph.constant(Uint8Array.of(128)),
    ]);
    const products = graph.node('MatMulInteger', [
      bytes,
      `cross_keys.${layer}`,
      graph.constant(Uint8Array.of(128)),
      zeroPoint,
    ]);
    const perRow = graph.node('Mul', [rowScale, float(1 / Math.sqrt(headWidth))]);
    const scores = graph.node('Mul', [graph.node('Cast', [products], { to: 1 }), perRow]);
    const attention = graph.node('Softmax', [graph.node('Add', [scores, crossMask])], { axis: -1 });
    attentionByLayer.push(attention);
    const mixed = graph.node('Mul', [joinHeads(mixValues(attention, layer)), channelScale(2 * layer + 1)]);
    return multiply(mixed, `${name}.out_proj`);
  }

  /** Attention times values, with the attention in 16 bits as two products of 8: many frames matter a little, and 8 bits would lose them. */
  function mixValues(attention: TensorName, layer: number): TensorName {
    const [step, fineStep] = [1 / 255, 1 / 65025];
    const none = graph.constant(Uint8Array.of(0));
    const coarse = graph.node('QuantizeLinear', [
      graph.node('Sub', [attention, float(step / 2)]),
      float(step),
      none,
    ]);
    const rest = graph.node('Sub', [attention, graph.node('DequantizeLinear', [coarse, float(step), none])]);
    const fine = graph.node('QuantizeLinear', [rest, float(fineStep), none]);
    const both = graph.node('Concat', [coarse, fine], { axis: 2 });
    const products = graph.node('MatMulInteger', [both, `cross_values.${layer}`, none, zeroPoint]);
    const parts = graph.node('Reshape', [
      graph.node('Cast', [products], { to: 1 }),
      graph.ints(0, 0, 2, -1, headWidth),
    ]);
    const weighted = graph.node('Mul', [parts, graph.constant(Float32Array.of(step, fineStep), [2, 1, 1])]);
    return graph.node('ReduceSum', [weighted, graph.ints(2)], { keepdims: 0 });
  }

  function channelScale(row: number): TensorName {
    return graph.node('Gather', [crossScales, graph.constant(BigInt64Array.of(BigInt(row)), [])], {
      axis: 1,
    });
  }

  function giveLogProbabilities(): void {
    const chosen = graph.node('Gather', [states, answered], { axis: 1 });
    const hidden = normalise(chosen, 'decoder.layer_norm');
    const logits = multiplyWithTokens(hidden);
    graph.nodeTo(['log_probabilities'], 'LogSoftmax', [logits], { axis: -1 });
    graph.output('log_probabilities', 'float32', ['batch', 'answers', vocabulary]);
  }

  function multiplyWithTokens(hidden: TensorName): TensorName {
    const tokenMatrix = matrix('decoder.embed_tokens');
    if (precision === 'int8')
      return blockQuantisedProduct(graph, hidden, 'token_matrix', tokenBlocks(tokenMatrix));
    const floats = graph.weight('token_matrix', toFloats(tokenMatrix), tokenMatrix.shape);
    return graph.contrib('FusedMatMul', [hidden, floats], { transB: 1 });
  }

  function giveNewState(): void {
    graph.nodeTo(['new_state'], 'Concat', newState, { axis: -1 });
    graph.output('new_state', 'float32', ['batch', 'steps', newState.length * width]);
  }

  /** The attention of the heads that follow the speech in time; computed only when `want_alignment` is true. */
  function giveAlignment(): void {
    const wanted = new GraphBuilder('wanted_');
    const picked = attentionByLayer.flatMap((attention, layer) => {
      const chosen = shape.alignmentHeads.filter(([of]) => of === layer).map(([, head]) => head);
      return chosen.length > 0
        ? [wanted.node('Gather', [attention, wanted.ints(...chosen)], { axis: 1 })]
        : [];
    });
    wanted.nodeTo(['wanted_alignment'], 'Concat', picked, { axis: 1 });
    wanted.output('wanted_alignment', 'float32', ['batch', shape.alignmentHeads.length, 'steps', 'frames']);
    const unwanted = new GraphBuilder('unwanted_');
    unwanted.nodeTo(['unwanted_alignment'], 'Identity', [
      unwanted.constant(new Float32Array(1), [1, 1, 1, 1]),
    ]);
    unwanted.output('unwanted_alignment', 'float32', [1, 1, 1, 1]);
    graph.nodeTo(['alignment'], 'If', [wantAlignment], { then_branch: wanted, else_branch: unwanted });
    graph.output('alignment', 'float32', ['a', 'b', 'c', 'd']);
  }

  function multiply(input: TensorName, name: string): TensorName {
    return product(input, name, [matrix(name)], values(`${name}.bias`));
  }

  /** The input times several matrices, with the results side by side. */
  function product(
    input: TensorName,
    name: string,
    matrices: QuantisedWeight[],
    bias: Float32Array,
  ): TensorName {
    if (precision === 'int8') return blockQuantisedProduct(graph, input, name, toBlocks(matrices), bias);
    const parts = matrices.map((weight, index) =>
      graph.node('MatMul', [input, graph.weight(`${name}.${index}`, toFloats(weight), weight.shape)]),
    );
    const joined = parts.length === 1 ? parts[0]! : graph.node('Concat', parts, { axis: -1 });
    return graph.node('Add', [joined, graph.weight(`${name}.added`, bias, [bias.length])]);
  }

  function normalise(input: TensorName, name: string): TensorName {
    const operands = [input, vector(`${name}.weight`), vector(`${name}.bias`)];
    return graph.node('LayerNormalization', operands, { axis: -1, epsilon: 1e-5 });
  }

  function split(input: TensorName, from: number, to: number): TensorName {
    return graph.node('Slice', [input, graph.ints(from), graph.ints(to), graph.ints(2)]);
  }

  function byHead(input: TensorName): TensorName {
    return graph.node('Transpose', [graph.node('Reshape', [input, graph.ints(0, 0, heads, headWidth)])], {
      perm: [0, 2, 1, 3],
    });
  }

  function joinHeads(input: TensorName): TensorName {
    return graph.node('Reshape', [
      graph.node('Transpose', [input], { perm: [0, 2, 1, 3] }),
      graph.ints(0, 0, width),
    ]);
  }
}
