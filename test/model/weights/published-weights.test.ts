import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { publishedModel } from '../../../src/model/catalogue.ts';
import { buildEncoderGraph } from '../../../src/model/graphs/encoder-graph.ts';
import { GraphBuilder } from '../../../src/model/onnx/graph-builder.ts';
import { readPublishedWeights, toFloats } from '../../../src/model/weights/published-weights.ts';
import { readWhisperShape } from '../../../src/model/whisper-shape.ts';

const tiny = publishedModel('tiny');
const files = { encoder: tiny.encoder.path, decoder: tiny.decoder.path };
const attention = ['q_proj', 'k_proj', 'v_proj', 'out_proj'];
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-weights-'));
});
after(() => rm(folder, { recursive: true }));

test('every matrix and vector of the tiny model is found under its path in the network', async () => {
  const { width, encoderLayers, decoderLayers, vocabulary, maxTokens } = await readWhisperShape(tiny.folder);
  const { matrices, vectors } = await readPublishedWeights(files);
  const shapes = new Map([
    ['encoder.conv1', [width, 80, 3]],
    ['encoder.conv2', [width, width, 3]],
    ['decoder.embed_tokens', [vocabulary, width]],
  ]);
  const lengths = new Map([
    ['encoder.conv1.bias', width],
    ['encoder.conv2.bias', width],
    ['encoder.embed_positions.weight', 1500 * width],
    ['decoder.embed_positions.weight', maxTokens * width],
  ]);
  addNorm('encoder.layer_norm');
  addNorm('decoder.layer_norm');
  for (let layer = 0; layer < encoderLayers; layer++) addLayer(`encoder.layers.${layer}`, ['self_attn']);
  for (let layer = 0; layer < decoderLayers; layer++) {
    addLayer(`decoder.layers.${layer}`, ['self_attn', 'encoder_attn']);
  }
  for (const [name, shape] of shapes) assert.deepEqual(matrices.get(name)?.shape, shape, name);
  for (const [name, length] of lengths) assert.equal(vectors.get(name)?.length, length, name);
  for (const [name, { shape, bytes, scale, zeroPoint }] of matrices) {
    assert.equal(
      bytes.length,
      shape.reduce((product, size) => product * size, 1),
      name,
    );
    assert(scale > 0 && scale < 1, `${name} has a scale of ${scale}`);
    assert(zeroPoint >= 0 && zeroPoint < 256, name);
  }

  function addLayer(name: string, parts: string[]): void {
    for (const part of parts) {
      for (const matrix of attention) {
        shapes.set(`${name}.${part}.${matrix}`, [width, width]);
        if (matrix !== 'k_proj') lengths.set(`${name}.${part}.${matrix}.bias`, width);
      }
      addNorm(`${name}.${part}_layer_norm`);
    }
    shapes.set(`${name}.fc1`, [width, 4 * width]).set(`${name}.fc2`, [4 * width, width]);
    lengths.set(`${name}.fc1.bias`, 4 * width).set(`${name}.fc2.bias`, width);
    addNorm(`${name}.final_layer_norm`);
  }

  function addNorm(name: string): void {
    lengths.set(`${name}.weight`, width).set(`${name}.bias`, width);
  }
});

test('a published weight stands for its bytes less the zero point, times the scale', () => {
  const weight = { shape: [2, 2], bytes: Uint8Array.of(0, 127, 128, 255), scale: 0.5, zeroPoint: 127 };
  assert.deepEqual([...toFloats(weight)], [-63.5, 0, 0.5, 64]);
});

test('signed weights are moved to the unsigned form without changing what they stand for', async () => {
  const graph = new GraphBuilder();
  graph.nodeTo(['product'], 'MatMulInteger', [
    'x',
    graph.weight('w_quantized', Int8Array.of(-128, -1, 0, 127), [2, 2]),
  ]);
  graph.weight('w_scale', Float32Array.of(0.25), []);
  graph.weight('w_zero_point', Int8Array.of(-1), []);
  const encoder = await write('signed.onnx', Buffer.concat(graph.model('signed')));
  const { matrices } = await readPublishedWeights({ encoder, decoder: encoder });
  assert.deepEqual([...toFloats(matrices.values().next().value!)], [-31.75, 0, 0.25, 32]);
});

test('a product without a scale is refused by name', async () => {
  const graph = new GraphBuilder();
  graph.node('MatMulInteger', ['x', graph.weight('w_quantized', Int8Array.of(1), [1, 1])]);
  const encoder = await write('no-scale.onnx', Buffer.concat(graph.model('no scale')));
  await assert.rejects(readPublishedWeights({ encoder, decoder: encoder }), /has no tensor w_scale/);
});

test('a file of another network is refused by the name of the first tensor missed', async () => {
  const other = tiny.voiceActivity.path;
  const weights = await readPublishedWeights({ encoder: other, decoder: other });
  const shape = await readWhisperShape(tiny.folder);
  assert.throws(
    () => buildEncoderGraph({ weights, shape, integers: 'signed', part: 0 }),
    /published weights have no encoder\./,
  );
});

test('a file that breaks off is refused', async () => {
  const whole = await readFile(files.encoder);
  const encoder = await write('half.onnx', whole.subarray(0, whole.length / 2));
  await assert.rejects(readPublishedWeights({ ...files, encoder }), /protobuf message ends inside/);
});

async function write(name: string, bytes: Uint8Array): Promise<string> {
  await writeFile(join(folder, name), bytes);
  return join(folder, name);
}
