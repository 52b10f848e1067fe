import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { oneATurn } from '../../src/async/one-a-turn.ts';

test('calls that come together are made in order, one in each turn of the event loop', async () => {
  const made: string[] = [];
  const call = oneATurn((argument: string) => {
    made.push(argument);
  });
  for (const argument of ['a', 'b', 'c']) call(argument);
  assert.deepEqual(made, []);
  for (const expected of ['a', 'ab', 'abc', 'abc']) {
    await turn();
    assert.equal(made.join(''), expected);
  }
  call('d');
  await turn();
  assert.equal(made.join(''), 'abcd');
});

test('a call from within a call has a turn of its own', async () => {
  const made: number[] = [];
  const call = oneATurn((argument: number) => {
    made.push(argument);
    if (argument < 3) call(argument + 1);
  });
  call(1);
  await turn();
  assert.deepEqual(made, [1]);
  await turn();
  await turn();
  assert.deepEqual(made, [1, 2, 3]);
});
