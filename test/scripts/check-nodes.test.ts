import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: a script without types
import { readArguments, readCounts, versions } from '../../scripts/check-nodes.mjs';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('without arguments every test runs on every version', () => {
  assert.deepEqual(readArguments([]), { majors: ['20', '22', '24'], tests: [] });
});

test('versions come first, files and options of the test runner after --', () => {
  assert.deepEqual(readArguments(['22', '24', '--', 'test/a.test.ts', '--test-name-pattern=webm']), {
    majors: ['22', '24'],
    tests: ['test/a.test.ts', '--test-name-pattern=webm'],
  });
});

test('a version that is not supported is refused', () => {
  assert.throws(() => readArguments(['18']), /18: expected 20, 22, 24/);
  assert.throws(() => readArguments(['test/audio']), /come after another --/);
});

test('what the test runner counted is read from its last lines', () => {
  const output = 'ℹ tests 12\nℹ pass 9\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n';
  assert.deepEqual(readCounts(output), { passed: 9, failed: 2, skipped: 1 });
});

test('the oldest version is the one that package.json asks for, the image has the newest', () => {
  assert.equal(JSON.parse(read('package.json')).engines.node, '>=20');
  assert.equal(Object.keys(versions)[0], '20');
  assert.ok(read('Dockerfile').includes(`ARG NODE_IMAGE=node:${versions[24]}-bookworm-slim`));
});
