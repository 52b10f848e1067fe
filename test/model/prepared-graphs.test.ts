import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { publishedModel } from '../../src/model/catalogue.ts';
import type { IntegerKind } from '../../src/model/integer-kind.ts';
import type { Precision } from '../../src/model/precision.ts';
import { preparationVersion, preparedGraphs } from '../../src/model/prepared-graphs.ts';
import { addAdapter } from '../../src/model/weights/adapter.ts';
import { readPublishedWeights } from '../../src/model/weights/published-weights.ts';
import { readWhisperShape } from '../../src/model/whisper-shape.ts';
import { seededNumbers } from '../support/seeded-numbers.ts';

/**
 * SHA-256 of what is prepared of the tiny model. It is the same on every processor and version of Node.js: all arithmetic is exactly
 * specified, save `**`, whose result is rounded to 32 bits, so that its last bit does not matter.
 */
type Digests = { preparationVersion: number; digests: Record<string, string> };

const recordedPath = new URL('./fixtures/prepared-digests.json', import.meta.url);
const model = publishedModel('tiny');
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-digests-'));
});
after(() => rm(folder, { recursive: true }));

test('what is prepared of the same weights changes only with the version of the preparation', async () => {
  const digests: Record<string, string> = {};
  for (const integers of ['signed', 'unsigned'] as const)
    for (const precision of ['int8', 'float32'] as const)
      digests[`${integers} ${precision}`] = await digest(integers, precision);
  digests['signed int8 with an adapter'] = await digest('signed', 'int8', { adapted: true });

  const recorded: Digests = JSON.parse(await readFile(recordedPath, 'utf8'));
  const found: Digests = { preparationVersion, digests };
  assert.deepEqual(
    found,
    recorded,
    'The prepared bytes or their version have changed. If the change of bytes is wanted, raise preparationVersion in ' +
      `src/model/prepared-graphs.ts; then write this to ${recordedPath.pathname}:\n${JSON.stringify(found, undefined, 2)}`,
  );
});

async function digest(
  integers: IntegerKind,
  precision: Precision,
  { adapted = false } = {},
): Promise<string> {
  const shape = await readWhisperShape(model.folder);
  const weights = await readPublishedWeights({ encoder: model.encoder.path, decoder: model.decoder.path });
  if (adapted) await addAdapter(weights, await writeAdapter(), 'tiny');
  const voiceActivity = await readFile(model.voiceActivity.path);
  const hash = createHash('sha256');
  for (const { build } of preparedGraphs({ weights, shape, integers, precision, voiceActivity })) {
    for (const [name, pieces] of Object.entries(build())) {
      hash.update(name);
      for (const piece of pieces) hash.update(piece);
    }
  }
  return hash.digest('hex');
}

/** An adapter of the tiny model, which has none: two matrices, and the row of a token. */
async function writeAdapter(): Promise<string> {
  const [rank, width, inner] = [4, 384, 1536];
  const next = seededNumbers(1);
  const body = Buffer.alloc(64 * 1024);
  let end = 0;
  const put = (n: number) => {
    const [scales, values] = [end, end + 4 * rank];
    for (let row = 0; row < rank; row++) body.writeFloatLE(0.001 * (row + 1), scales + 4 * row);
    for (let i = 0; i < rank * n; i++) body.writeInt8(Math.floor(next() * 255) - 127, values + i);
    end = values + rank * n;
    return { scales, values };
  };
  const tensors = [
    { name: 'encoder.layers.0.fc1', rank, inputs: width, outputs: inner, a: put(width), b: put(inner) },
    {
      name: 'decoder.layers.1.self_attn.q_proj',
      ...{ rank, inputs: width, outputs: width, a: put(width), b: put(width) },
    },
  ];
  const row = { token: 50_356, width, offset: end };
  for (let i = 0; i < width; i++) body.writeUInt16LE(0x2000 + i, end + 2 * i); // halves from 0.0078 on
  const header = { format: 'siann-adapter-1', model: 'tiny', kind: 'int8', scale: 1, tensors, row };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const path = join(folder, 'adapter.bin');
  await writeFile(path, Buffer.concat([length, text, body]));
  return path;
}
