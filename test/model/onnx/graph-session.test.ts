import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { prepareTiny } from '../../support/tiny-model.ts';

test('a network that is opened reports to nobody: the telemetry of onnxruntime does not begin', async () => {
  const { voiceActivityPath } = await prepareTiny();
  const folder = await mkdtemp(join(tmpdir(), 'siann-graph-'));
  const module = new URL('../../../src/model/onnx/graph-session.ts', import.meta.url);
  const script = `
    const { openGraph } = await import(${JSON.stringify(module.href)});
    await openGraph(${JSON.stringify(voiceActivityPath)}, { threads: 1 });`;
  // It would leave its session and a log in the folder for temporary files.
  await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '', TMPDIR: folder },
  });
  const left = (await readdir(folder)).filter((name) => !name.startsWith('tsx-'));
  await rm(folder, { recursive: true });
  assert.deepEqual(left, []);
});
