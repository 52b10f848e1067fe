// Started by test.mjs for a run of many files: `node --test` would begin them in the order of their names.
import { relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/** They take half a minute and more each. They begin first, so that no core is idle at the end. */
const slowest = [
  'test/e2e/cluster-chaos',
  'test/training/',
  'test/console/',
  'test/e2e/',
  'test/bench/hostile-inputs',
];

const [concurrency, ...files] = process.argv.slice(2);
const tests = run({ files: slowestFirst(files), concurrency: Number(concurrency) });
tests.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);

function slowestFirst(paths) {
  return [...paths].sort((one, other) => rankOf(one) - rankOf(other));
}

function rankOf(path) {
  const rank = slowest.findIndex((start) => relative(process.cwd(), path).startsWith(start));
  return rank < 0 ? slowest.length : rank;
}
