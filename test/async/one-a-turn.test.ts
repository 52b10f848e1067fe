import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createOneATurn } from '../../src/async/one-a-turn.ts';

test('what comes together is run in order, one in each turn of the event loop', async () => {
  const inTurn = createOneATurn();
  const done: string[] = [];
  for (const name of ['a', 'b', 'c']) void inTurn(() => done.push(name));
  assert.equal(done.length, 0);
  for (const expected of ['a', 'ab', 'abc', 'abc']) {
    await turn();
    assert.equal(done.join(''), expected);
  }
  void inTurn(() => done.push('d'));
  await turn();
  assert.equal(done.join(''), 'abcd');
});

test('work that asks for more work waits for another turn', async () => {
  const inTurn = createOneATurn();
  const done: number[] = [];
  const count = (number: number): void => {
    done.push(number);
    if (number < 3) void inTurn(() => count(number + 1));
  };
  void inTurn(() => count(1));
  await turn();
  assert.deepEqual(done, [1]);
  await turn();
  await turn();
  assert.deepEqual(done, [1, 2, 3]);
});

test('a failure is that of whoever asked, and stops nobody else', async () => {
  const inTurn = createOneATurn();
  const failing = inTurn(() => {
    throw new Error('no');
  });
  const working = inTurn(() => 'yes');
  await assert.rejects(failing, /no/);
  assert.equal(await working, 'yes');
});
