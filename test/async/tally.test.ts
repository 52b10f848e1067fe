import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTally } from '../../src/async/tally.ts';

test('each name is counted by itself, and never below nought', () => {
  const tally = createTally();
  tally.add('a');
  tally.add('a');
  tally.add('b');
  tally.remove('a');
  tally.remove('b');
  tally.remove('b');
  assert.deepEqual([tally.of('a'), tally.of('b'), tally.of('c')], [1, 0, 0]);
});
