import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { afterEach, test } from 'node:test';
import { describeThisRun } from '../../../bench/figures/this-run.ts';

afterEach(() => {
  delete process.env.SIANN_BENCH_COMMIT;
});

test('a run names the processor, its cores and the version of Node.js', () => {
  process.env.SIANN_BENCH_COMMIT = '9a340fe';
  const { processor, node, date } = describeThisRun();
  assert.equal(processor.architecture, process.arch);
  assert.equal(processor.cores, availableParallelism());
  assert.notEqual(processor.model, '');
  assert.equal(node, process.versions.node);
  assert.match(date, /^\d{4}-\d\d-\d\d$/);
});

test('outside of a clone the commit is the one that was said', () => {
  process.env.SIANN_BENCH_COMMIT = '9a340fe';
  assert.equal(describeThisRun().commit, '9a340fe');
});

test('in a clone it is the one that is checked out', { skip: isNoClone() }, () => {
  assert.match(describeThisRun().commit, /^[0-9a-f]{7,}(-dirty)?$/);
});

function isNoClone(): string | false {
  try {
    describeThisRun();
    return false;
  } catch {
    return 'This is no clone.';
  }
}
