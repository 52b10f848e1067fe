import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import { publishedModel } from '../../../src/model/catalogue.ts';
import { buildDecoderGraph } from '../../../src/model/graphs/decoder-graph.ts';
import { buildEncoderGraph, encoderParts } from '../../../src/model/graphs/encoder-graph.ts';
import type { IntegerKind } from '../../../src/model/integer-kind.ts';
import type { Precision } from '../../../src/model/precision.ts';
import {
  type PublishedWeights,
  readPublishedWeights,
  toFloats,
} from '../../../src/model/weights/published-weights.ts';
import { headWidth, readWhisperShape, type WhisperShape } from '../../../src/model/whisper-shape.ts';
import { decodeText } from '../../../src/speech/inference/decoding/vocabulary.ts';
import { contextFeatures, shortContext } from '../../../src/speech/inference/features/context-frames.ts';
import { createLogMel } from '../../../src/speech/inference/features/log-mel.ts';
import type { CacheBytes, EncodedWindow } from '../../../src/speech/inference/network/whisper-encoder.ts';
import { withLead } from '../../../src/speech/inference/window-lead.ts';
import { decodeAll } from '../../audio/fixtures.ts';
import { aWindow } from '../../speech/a-window.ts';
import { encodeFixture, likeliest, opening, openTiny, type TinyNetwork } from '../../support/tiny-model.ts';
import { type FloatWhisper, openFloatWhisper } from '../float-whisper.ts';

const tiny = publishedModel('tiny');
const recording = 'speech-16k.wav';
let folder: string;
let shape: WhisperShape;
let weights: PublishedWeights;
let signed: TinyNetwork;
/** The recording through the rewritten network: its tokens, and the log-probabilities after each from the opening's last. */
let window: EncodedWindow;
let tokens: number[];
let rows: Float32Array[];
/** The same tokens through the network in real numbers. */
let exact: Awaited<ReturnType<FloatWhisper['run']>>;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-graphs-'));
  shape = await readWhisperShape(tiny.folder);
  weights = await readPublishedWeights({ encoder: tiny.encoder.path, decoder: tiny.decoder.path });
  signed = await build('signed');
  window = await encodeFixture(signed, recording, 1500);
  [tokens, rows] = await transcribe();
  exact = await (await openFloatWhisper(weights, shape)).run(await features(), tokens);
});
after(() => rm(folder, { recursive: true }));

test('keys and values are within 12 % of those in real numbers, the published graph twice as far off', async () => {
  const published = relativeError(await publishedKeys(), exact.keys[0]!);
  for (let layer = 0; layer < shape.decoderLayers; layer++) {
    const keys = relativeError(keysOf(window, layer), exact.keys[layer]!);
    const values = relativeError(valuesOf(window, layer), exact.values[layer]!);
    for (const error of [keys, values]) {
      assert(error < 0.12, `layer ${layer} differs by ${error}`);
      assert(error < published / 2, `layer ${layer}: the published graph differs by ${published}`);
    }
  }
});

test('the text is the one that the network in real numbers writes', () => {
  assert.match(decodeText(signed.vocabulary, tokens.slice(4)), /at 9 o'clock on Monday morning/);
  for (let at = 3; at < tokens.length; at++) {
    const next = tokens[at + 1] ?? signed.vocabulary.endOfText;
    assert.equal(likeliest(exact.rows[at]!), next, `token ${at + 1}`);
  }
});

test('the 20 likeliest next tokens are as likely as in real numbers, within 1 and 0.4 on average in the logarithm', () => {
  for (const [index, row] of rows.entries()) {
    const expected = exact.rows[index + 3]!;
    const differences = topTokens(expected, 20).map((token) => Math.abs(row[token]! - expected[token]!));
    const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
    assert(mean < 0.4 && Math.max(...differences) < 1, `after ${index + 4} tokens: ${differences}`);
  }
});

test('unsigned weights give what signed ones give', async () => {
  const unsigned = await build('unsigned');
  const again = await encodeFixture(unsigned, recording, 250);
  const expected = await encodeFixture(signed, recording, 250);
  assert(again.keys[0] instanceof Uint8Array && expected.keys[0] instanceof Int8Array);
  for (let layer = 0; layer < shape.decoderLayers; layer++) {
    const error = relativeError(keysOf(again, layer), keysOf(expected, layer));
    assert(error < 0.01, `layer ${layer} differs by ${error}`);
  }
  const [row, expectedRow] = await Promise.all([
    nextAfter(unsigned, again, tokens),
    nextAfter(signed, expected, tokens),
  ]);
  for (const token of topTokens(expectedRow, 20)) assert(Math.abs(row[token]! - expectedRow[token]!) < 0.05);
});

test('a context may have any length up to 30 s', async () => {
  for (const frames of [250, 333, 1500]) {
    const encoded = frames === 1500 ? window : await encodeFixture(signed, recording, frames);
    assert.equal(encoded.frames, frames);
    assert.equal(encoded.keys[0]!.length, shape.width * frames);
    assert.equal(
      likeliest(await nextAfter(signed, encoded, tokens.slice(0, 8))),
      tokens[8],
      `${frames} frames`,
    );
  }
});

test('silence that is left out leaves the rest as the network has it with a full context', async () => {
  const { audio } = withLead({ ...aWindow, audio: await decodeAll(fixture(recording)) });
  const context = shortContext(audio.length / pcmSampleRate);
  const logMel = createLogMel();
  const encoded = (await signed.encoder.encode(contextFeatures(logMel, audio, context), context))!;
  const reference = await openFloatWhisper(weights, shape);
  const expected = await reference.run(logMel(audio, 2 * (context.at(-1)! + 1)), tokens, context);
  for (let layer = 0; layer < shape.decoderLayers; layer++) {
    const error = relativeError(keysOf(encoded, layer), expected.keys[layer]!);
    assert(error < 0.12, `layer ${layer} differs by ${error}`);
  }
});

test('graphs in floats come closer to real numbers than those in 8 bits', async () => {
  const floats = await build('signed', 'float32');
  const encoded = await encodeFixture(floats, recording, 1500);
  const [row, rough] = await Promise.all([
    nextAfter(floats, encoded, tokens),
    nextAfter(signed, window, tokens),
  ]);
  const expected = exact.rows[tokens.length - 1]!;
  const distance = (from: Float32Array) =>
    Math.max(...topTokens(expected, 20).map((token) => Math.abs(from[token]! - expected[token]!)));
  assert(distance(row) < 0.1 && distance(row) < distance(rough), `${distance(row)}, ${distance(rough)}`);
});

async function build(integers: IntegerKind, precision: Precision = 'int8'): Promise<TinyNetwork> {
  const decoderPath = join(folder, `decoder-${integers}-${precision}.onnx`);
  const encoderPaths: string[] = [];
  for (let part = 0; part < encoderParts(shape); part++) {
    const path = join(folder, `encoder-${part}-${integers}-${precision}.onnx`);
    const encoder = buildEncoderGraph({ weights, shape, integers, part, precision });
    await writeFile(path, Buffer.concat(encoder.model('encoder')));
    encoderPaths.push(path);
  }
  const decoder = buildDecoderGraph({ weights, shape, integers, precision });
  await writeFile(decoderPath, Buffer.concat(decoder.model('decoder')));
  return openTiny(1, { encoderPaths, decoderPath, integers });
}

async function features(): Promise<Float32Array> {
  return createLogMel()(await decodeAll(fixture(recording)), 3000);
}

/** The likeliest token, again and again. */
async function transcribe(): Promise<[number[], Float32Array[]]> {
  const { decoder, vocabulary } = signed;
  decoder.add(window);
  const found = opening(signed, 'en');
  const after = [await decoder.prompt(0, found)];
  for (let token = likeliest(after[0]!); token !== vocabulary.endOfText && found.length < 40; ) {
    found.push(token);
    after.push(await decoder.step([token]));
    token = likeliest(after.at(-1)!);
  }
  decoder.remove(0);
  return [found, after];
}

async function nextAfter(
  { decoder }: TinyNetwork,
  encoded: EncodedWindow,
  text: number[],
): Promise<Float32Array> {
  decoder.add(encoded);
  const row = await decoder.prompt(0, text);
  decoder.remove(0);
  return row;
}

/** Keys [heads, 64, frames] and values [heads, frames, 64] as real numbers, [frames, width]. */
function keysOf({ keys, scales, frames }: EncodedWindow, layer: number): Float32Array {
  const ofLayer = scales.subarray(2 * layer * shape.width);
  return unpack(keys[layer]!, ofLayer, frames, (channel, frame) => channel * frames + frame);
}

function valuesOf({ values, scales, frames }: EncodedWindow, layer: number): Float32Array {
  const ofLayer = scales.subarray((2 * layer + 1) * shape.width);
  return unpack(values[layer]!, ofLayer, frames, (channel, frame) => {
    const head = Math.floor(channel / headWidth);
    return (head * frames + frame) * headWidth + (channel % headWidth);
  });
}

function unpack(
  bytes: CacheBytes,
  scales: Float32Array,
  frames: number,
  indexOf: (channel: number, frame: number) => number,
): Float32Array {
  const { width } = shape;
  const middle = bytes instanceof Int8Array ? 0 : 128;
  return Float32Array.from({ length: frames * width }, (_, i) => {
    const channel = i % width;
    return (bytes[indexOf(channel, Math.floor(i / width))]! - middle) * scales[channel]!;
  });
}

/** The first decoder layer's keys, as the published encoder gives them. */
async function publishedKeys(): Promise<Float32Array> {
  const session = await InferenceSession.create(tiny.encoder.path, { intraOpNumThreads: 1 });
  const mel = new Tensor('float32', await features(), [1, 80, 3000]);
  const hidden = (await session.run({ input_features: mel })).last_hidden_state!.data as Float32Array;
  const matrix = toFloats(weights.matrices.get('decoder.layers.0.encoder_attn.k_proj')!);
  const { width } = shape;
  const keys = new Float32Array(hidden.length);
  for (let at = 0; at < hidden.length; at += width) {
    for (let i = 0; i < width; i++) {
      const factor = hidden[at + i]!;
      for (let j = 0; j < width; j++) keys[at + j]! += factor * matrix[i * width + j]!;
    }
  }
  await session.release();
  return keys;
}

function relativeError(found: Float32Array, expected: Float32Array): number {
  let [difference, size] = [0, 0];
  for (const [i, value] of expected.entries()) {
    difference += (found[i]! - value) ** 2;
    size += value ** 2;
  }
  return Math.sqrt(difference / size);
}

function topTokens(row: Float32Array, count: number): number[] {
  return [...row.keys()].sort((a, b) => row[b]! - row[a]!).slice(0, count);
}
