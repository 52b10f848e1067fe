import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'siann-runner-'));
after(() => rmSync(folder, { recursive: true }));

/** The exit code and what was printed when `npm test` is given one file with this text. */
function runTests(text: string) {
  const file = join(folder, 'given.test.mjs');
  writeFileSync(file, `import assert from 'node:assert';\nimport { test } from 'node:test';\n${text}\n`);
  // The runner would think that it is inside a test of its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.mjs', file], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return { status, stdout };
}

test('tests that pass are counted, and the command succeeds', () => {
  const { status, stdout } = runTests("test('one', () => {});\ntest('two', () => {});");
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^ℹ pass 2$/m);
});

test('a test that fails makes the command fail', () => {
  const { status, stdout } = runTests("test('wrong', () => assert.equal(1, 2));");
  assert.equal(status, 1, stdout);
  assert.match(stdout, /✖ wrong/);
});

test('a file that ends in mid-test makes the command fail', () => {
  const { status } = runTests(
    "test('never ends', () => new Promise(() => setTimeout(() => process.exit(3), 10)));",
  );
  assert.equal(status, 1);
});

test('a test that is still to be done may fail', () => {
  const { status, stdout } = runTests("test('later', { todo: true }, () => assert.equal(1, 2));");
  assert.equal(status, 0, stdout);
});
