import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const needs = ['torch', 'numpy', 'onnx'];
const python = ['python3', '/usr/bin/python3'].find((program) => hasModules(program));

const reason = `TRAINING IS NOT TESTED HERE: no python3 with ${needs.join(', ')} (on Debian: apt-get install python3-torch python3-onnx libopenblas0).`;

test('an adapter is trained, written and read back, from packed weights and speech on', {
  skip: python === undefined && reason,
  timeout: 600_000,
}, (context) => {
  const run = spawnSync(python!, ['training/smoke.py'], { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  for (const line of run.stdout.split('\n').filter((each) => each.startsWith('LEFT OUT')))
    context.diagnostic(line);
  // Two processes label side by side, in whatever order they come.
  assert.match(run.stdout, /labels: \{'soft': 5, 'reference': 3, 'phrase': 0/);
  assert.match(run.stdout, /labels: \{'soft': 0, 'reference': 0, 'phrase': 5/);
  assert.match(run.stdout, /training ended after 3 steps .* 0 steps left out/);
  assert.match(run.stdout, /file \| taiwanese/);
  assert.match(run.stdout, /smoke run passed/);
});

function hasModules(program: string): boolean {
  return spawnSync(program, ['-c', `import ${needs.join(', ')}`]).status === 0;
}
