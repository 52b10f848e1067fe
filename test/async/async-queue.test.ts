import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsyncQueue } from '../../src/async/async-queue.ts';

test('a reader gets everything in order, before and after it waits, and then the end', async () => {
  const queue = createAsyncQueue<number>();
  queue.push(1);
  const reading = readAll(queue.items());
  await ticks();
  queue.push(2);
  await ticks();
  queue.push(3);
  queue.push(4);
  queue.end();
  queue.push(5);
  assert.deepEqual(await reading, [1, 2, 3, 4]);
});

test('a queue that fails gives what was pushed before, and then its error', async () => {
  const queue = createAsyncQueue<number>();
  const read: number[] = [];
  queue.push(1);
  queue.fail(new Error('broken'));
  queue.push(2);
  queue.fail(new Error('later'));
  await assert.rejects(readAll(queue.items(), read), /broken/);
  assert.deepEqual(read, [1]);
});

test('a failure wakes a reader that waits', async () => {
  const queue = createAsyncQueue<number>();
  const reading = readAll(queue.items());
  await ticks();
  queue.fail(new Error('broken'));
  await assert.rejects(reading, /broken/);
});

test('a failure after the end changes nothing', async () => {
  const queue = createAsyncQueue<number>();
  queue.end();
  queue.fail(new Error('late'));
  assert.deepEqual(await readAll(queue.items()), []);
});

test('an abort ends a reader that waits with its reason, and drops what waits', async () => {
  const abort = new AbortController();
  const queue = createAsyncQueue<number>({ signal: abort.signal, capacity: 1 });
  const items = queue.items();
  queue.push(1);
  assert.equal((await items.next()).value, 1);
  const next = items.next();
  await ticks();
  abort.abort(new Error('gone'));
  await assert.rejects(next, /gone/);
  queue.push(2);
  assert.equal(queue.size, 0);
});

test('an abort frees a writer that waits', async () => {
  const abort = new AbortController();
  const queue = createAsyncQueue<number>({ signal: abort.signal, capacity: 1 });
  queue.push(1);
  const space = isSettled(queue.space());
  await ticks();
  assert.equal(space(), false);
  abort.abort();
  await ticks();
  assert.equal(space(), true);
});

test('with a signal that was aborted before, nothing is taken in and nothing is given', async () => {
  const queue = createAsyncQueue<number>({ signal: AbortSignal.abort(new Error('gone')) });
  queue.push(1);
  assert.equal(queue.size, 0);
  await assert.rejects(queue.items().next(), /gone/);
});

test('writers wait while as many items wait as the capacity, and one taken frees them', async () => {
  const queue = createAsyncQueue<number>({ capacity: 2 });
  await queue.space();
  queue.push(1);
  await queue.space();
  queue.push(2);
  const writers = [isSettled(queue.space()), isSettled(queue.space())];
  await ticks();
  assert.deepEqual(
    writers.map((settled) => settled()),
    [false, false],
  );
  const items = queue.items();
  await items.next();
  await ticks();
  assert.deepEqual(
    writers.map((settled) => settled()),
    [true, true],
  );
});

test('a reader that stops ends the queue, drops what waits and frees its writers', async () => {
  const queue = createAsyncQueue<number>({ capacity: 1 });
  queue.push(1);
  queue.push(2);
  const space = isSettled(queue.space());
  for await (const item of queue.items()) {
    assert.equal(item, 1);
    break;
  }
  await ticks();
  assert.equal(space(), true);
  assert.equal(queue.size, 0);
  queue.push(3);
  assert.equal(queue.size, 0);
});

test('the newest item can be seen until it is read', async () => {
  const queue = createAsyncQueue<number>();
  assert.equal(queue.last, undefined);
  queue.push(1);
  queue.push(2);
  assert.equal(queue.last, 2);
  queue.end();
  assert.deepEqual(await readAll(queue.items()), [1, 2]);
  assert.equal(queue.last, undefined);
});

async function readAll<Item>(items: AsyncIterable<Item>, read: Item[] = []): Promise<Item[]> {
  for await (const item of items) read.push(item);
  return read;
}

/** Long enough for everything that waits for nothing but promises. */
function ticks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isSettled(promise: Promise<unknown>): () => boolean {
  let settled = false;
  promise.finally(() => {
    settled = true;
  });
  return () => settled;
}
