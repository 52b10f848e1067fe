import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInOrder } from '../../src/async/in-order.ts';

test('work is done one after the other, and each caller gets its own result', async () => {
  const inOrder = createInOrder();
  const log: string[] = [];
  let finishFirst = () => {};
  const first = inOrder(async () => {
    log.push('first begins');
    await new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    log.push('first ends');
    return 1;
  });
  const second = inOrder(() => {
    log.push('second');
    return 2;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(log, ['first begins']);
  finishFirst();
  assert.deepEqual(await Promise.all([first, second]), [1, 2]);
  assert.deepEqual(log, ['first begins', 'first ends', 'second']);
});

test('what fails is told to its caller, and does not hold up the next', async () => {
  const inOrder = createInOrder();
  const failing = inOrder(() => {
    throw new Error('broken');
  });
  const next = inOrder(async () => 'done');
  await assert.rejects(failing, /broken/);
  assert.equal(await next, 'done');
});
