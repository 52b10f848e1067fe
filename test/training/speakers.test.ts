import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { InferenceSession, Tensor } from 'onnxruntime-node';

const root = fileURLToPath(new URL('../..', import.meta.url));
const needs = ['torch', 'numpy', 'onnx'];
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', `import ${needs.join(', ')}`]).status === 0,
);
const reason = `TRAINING IS NOT TESTED HERE: no python3 with ${needs.join(', ')} (on Debian: apt-get install python3-torch python3-onnx libopenblas0).`;

test('a network that tells voices apart is trained, tested and written as a graph that answers the same', {
  skip: python === undefined && reason,
  timeout: 300_000,
}, async (context) => {
  const out = await mkdtemp(join(tmpdir(), 'siann-speakers-'));
  context.after(() => rm(out, { recursive: true }));
  const run = spawnSync(python!, ['training/speakers/smoke.py', '--out', out], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  assert.match(run.stdout, /2 speakers to learn, 4 to test on/);
  assert.match(run.stdout, /training ended after 2 steps/);
  for (const kind of ['tdnn', 'resnet']) {
    const floats = async (name: string) => {
      const { buffer, byteOffset, length } = await readFile(join(out, `${kind}-${name}.f32`));
      return new Float32Array(buffer.slice(byteOffset, byteOffset + length));
    };
    const graph = await InferenceSession.create(join(out, `${kind}.onnx`));
    const features = new Tensor('float32', await floats('features'), [2, 80, 120]);
    const answered = (await graph.run({ features })).directions!.data as Float32Array;
    const expected = await floats('directions');
    assert.equal(answered.length, 2 * 128);
    const worst = Math.max(...expected.map((value, index) => Math.abs(value - answered[index]!)));
    // Weights are kept in half precision.
    assert(worst < 0.005, `${kind}: off by ${worst}`);
    await graph.release();
  }
});
