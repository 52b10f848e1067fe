/** The network of the published weights in real numbers, operator by operator as the paper draws it: what rounding is measured against. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { GraphBuilder, type TensorName } from '../../src/model/onnx/graph-builder.ts';
import { type PublishedWeights, toFloats } from '../../src/model/weights/published-weights.ts';
import { headWidth, type WhisperShape } from '../../src/model/whisper-shape.ts';

export type FloatWhisper = {
  /** Log-probabilities after each of the tokens, and keys and values that the decoder's layers read, [frames, width] each. */
  run(
    mel: Float32Array,
    tokens: number[],
    /** Positions of the frames in the context; all of them unless others are named. */
    context?: readonly number[],
  ): Promise<{ rows: Float32Array[]; keys: Float32Array[]; values: Float32Array[] }>;
};

export async function openFloatWhisper(
  weights: PublishedWeights,
  shape: WhisperShape,
): Promise<FloatWhisper> {
  const graph = new GraphBuilder();
  let states = encode();
  const layers = Array.from({ length: shape.decoderLayers }, (_, layer) => `decoder.layers.${layer}`);
  const crossAttention = layers.map((name, layer) => {
    graph.nodeTo([`keys.${layer}`], 'Identity', [product(states, `${name}.encoder_attn.k_proj`)]);
    graph.nodeTo([`values.${layer}`], 'Identity', [product(states, `${name}.encoder_attn.v_proj`)]);
    for (const part of ['keys', 'values'])
      graph.output(`${part}.${layer}`, 'float32', ['frames', shape.width]);
    return [`keys.${layer}`, `values.${layer}`] as const;
  });
  decode();
  const bytes = Buffer.concat(graph.model('float whisper'));
  const session = await InferenceSession.create(bytes, { intraOpNumThreads: 1 });

  return {
    async run(mel, tokens, context = Array.from({ length: mel.length / 160 }, (_, position) => position)) {
      const count = tokens.length;
      const mask = Float32Array.from({ length: count * count }, (_, i) =>
        i % count > Math.floor(i / count) ? -1e9 : 0,
      );
      const outputs = await session.run({
        mel: new Tensor('float32', mel, [1, 80, mel.length / 80]),
        context: new Tensor('int64', BigInt64Array.from(context, BigInt), [context.length]),
        tokens: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [count]),
        mask: new Tensor('float32', mask, [count, count]),
      });
      const take = (name: string) => outputs[name]!.data as Float32Array;
      const { vocabulary } = shape;
      return {
        rows: tokens.map((_, at) => take('log_probabilities').slice(at * vocabulary, (at + 1) * vocabulary)),
        keys: crossAttention.map(([keys]) => take(keys)),
        values: crossAttention.map(([, values]) => take(values)),
      };
    },
  };

  function encode(): TensorName {
    const mel = graph.input('mel', 'float32', [1, 80, 'mel_frames']);
    const context = graph.input('context', 'int64', ['context_frames']);
    const convolved = convolve(convolve(mel, 'encoder.conv1', 1), 'encoder.conv2', 2);
    const rows = graph.node('Squeeze', [
      graph.node('Transpose', [convolved], { perm: [0, 2, 1] }),
      graph.ints(0),
    ]);
    const frames = graph.node('Slice', [graph.node('Shape', [rows]), graph.ints(0), graph.ints(1)]);
    const table = graph.weight('encoder.positions', vector('encoder.embed_positions.weight'), [
      1500,
      shape.width,
    ]);
    const everywhere = graph.node('Add', [rows, graph.node('Slice', [table, graph.ints(0), frames])]);
    let encoded = graph.node('Gather', [everywhere, context]);
    for (let layer = 0; layer < shape.encoderLayers; layer++) {
      const name = `encoder.layers.${layer}`;
      encoded = attendItself(encoded, name);
      encoded = think(encoded, name);
    }
    return normalise(encoded, 'encoder.layer_norm');
  }

  function decode(): void {
    const tokens = graph.input('tokens', 'int64', ['count']);
    const mask = graph.input('mask', 'float32', ['count', 'count']);
    const { vocabulary, width, maxTokens } = shape;
    const table = graph.weight('tokens.table', toFloats(matrix('decoder.embed_tokens')), [vocabulary, width]);
    const positions = graph.weight('decoder.positions', vector('decoder.embed_positions.weight'), [
      maxTokens,
      width,
    ]);
    const count = graph.node('Shape', [tokens]);
    states = graph.node('Add', [
      graph.node('Gather', [table, tokens]),
      graph.node('Slice', [positions, graph.ints(0), count]),
    ]);
    for (const [layer, name] of layers.entries()) {
      states = attendItself(states, name, mask);
      const query = product(
        normalise(states, `${name}.encoder_attn_layer_norm`),
        `${name}.encoder_attn.q_proj`,
      );
      const mixed = attend(query, ...crossAttention[layer]!);
      states = graph.node('Add', [states, product(mixed, `${name}.encoder_attn.out_proj`)]);
      states = think(states, name);
    }
    const logits = graph.node('MatMul', [
      normalise(states, 'decoder.layer_norm'),
      graph.node('Transpose', [table], { perm: [1, 0] }),
    ]);
    graph.nodeTo(['log_probabilities'], 'LogSoftmax', [logits], { axis: -1 });
    graph.output('log_probabilities', 'float32', ['count', vocabulary]);
  }

  function attendItself(input: TensorName, layer: string, mask?: TensorName): TensorName {
    const name = `${layer}.self_attn`;
    const normal = normalise(input, `${name}_layer_norm`);
    const [query, key, value] = ['q', 'k', 'v'].map((part) => product(normal, `${name}.${part}_proj`));
    return graph.node('Add', [input, product(attend(query!, key!, value!, mask), `${name}.out_proj`)]);
  }

  function attend(query: TensorName, key: TensorName, value: TensorName, mask?: TensorName): TensorName {
    const byHead = (input: TensorName, perm: number[]) =>
      graph.node('Transpose', [graph.node('Reshape', [input, graph.ints(-1, shape.heads, headWidth)])], {
        perm,
      });
    const products = graph.node('MatMul', [byHead(query, [1, 0, 2]), byHead(key, [1, 2, 0])]);
    let scores = graph.node('Mul', [products, graph.constant(Float32Array.of(1 / Math.sqrt(headWidth)))]);
    if (mask) scores = graph.node('Add', [scores, mask]);
    const mixed = graph.node('MatMul', [
      graph.node('Softmax', [scores], { axis: -1 }),
      byHead(value, [1, 0, 2]),
    ]);
    return graph.node('Reshape', [
      graph.node('Transpose', [mixed], { perm: [1, 0, 2] }),
      graph.ints(-1, shape.width),
    ]);
  }

  function think(input: TensorName, layer: string): TensorName {
    const inner = graph.contrib('Gelu', [
      product(normalise(input, `${layer}.final_layer_norm`), `${layer}.fc1`),
    ]);
    return graph.node('Add', [input, product(inner, `${layer}.fc2`)]);
  }

  function product(input: TensorName, name: string): TensorName {
    const weight = graph.weight(name, toFloats(matrix(name)), matrix(name).shape);
    const result = graph.node('MatMul', [input, weight]);
    if (name.endsWith('k_proj')) return result;
    return graph.node('Add', [
      result,
      graph.weight(`${name}.bias`, vector(`${name}.bias`), [matrix(name).shape[1]!]),
    ]);
  }

  function normalise(input: TensorName, name: string): TensorName {
    const [scale, bias] = ['weight', 'bias'].map((part) =>
      graph.weight(`${name}.${part}`, vector(`${name}.${part}`), [shape.width]),
    );
    return graph.node('LayerNormalization', [input, scale!, bias!], { axis: -1, epsilon: 1e-5 });
  }

  function convolve(input: TensorName, name: string, stride: number): TensorName {
    const kernel = graph.weight(name, toFloats(matrix(name)), matrix(name).shape);
    const bias = graph.weight(`${name}.bias`, vector(`${name}.bias`), [shape.width]);
    const attributes = { kernel_shape: [3], strides: [stride], pads: [1, 1] };
    return graph.contrib('Gelu', [graph.node('Conv', [input, kernel, bias], attributes)]);
  }

  function matrix(name: string) {
    return weights.matrices.get(name)!;
  }

  function vector(name: string): Float32Array {
    return weights.vectors.get(name)!;
  }
}
