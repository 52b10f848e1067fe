import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { mapInOrder } from '../../../src/speech/recognition/map-in-order.ts';

test('results come in the order of the items, whatever each takes, never more than the limit under way', async () => {
  /** Which of those under way is done next, again and again. */
  const choices = fc.array(fc.nat(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(choices, fc.integer({ min: 1, max: 5 }), async (chosen, limit) => {
      const underWay: (() => void)[] = [];
      let most = 0;
      const results: number[] = [];
      const mapped = mapInOrder(from(chosen.keys()), limit, (index) => {
        const done = new Promise<number>((resolve) => underWay.push(() => resolve(index)));
        most = Math.max(most, underWay.length);
        return done;
      });
      const reading = (async () => {
        for await (const result of mapped) results.push(result);
      })();
      for (const choice of chosen) {
        await tick();
        assert(underWay.length > 0);
        underWay.splice(choice % underWay.length, 1)[0]!();
      }
      await reading;
      assert.deepEqual(results, [...chosen.keys()]);
      assert.equal(most, Math.min(limit, chosen.length));
    }),
    { numRuns: 100 },
  );
});

test('when an item fails, the others are aborted and the failure is thrown when its result is due', async () => {
  const aborted: number[] = [];
  const results: number[] = [];
  const mapped = mapInOrder(from([0, 1, 2, 3]), 4, (item, signal) => {
    if (item === 1) return Promise.reject(new Error('item 1 failed'));
    return item === 0 ? tick().then(() => 0) : untilAborted(item, signal);
  });
  await assert.rejects(async () => {
    for await (const result of mapped) results.push(result);
  }, /item 1 failed/);
  assert.deepEqual(results, [0]);
  assert.deepEqual(aborted, [2, 3]);

  function untilAborted(item: number, signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(item);
        reject(signal.reason);
      });
    });
  }
});

test('a consumer that stops aborts what is under way and stops the source', async () => {
  let [begun, aborted, sourceStopped] = [0, 0, false];
  async function* endless() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      sourceStopped = true;
    }
  }
  for await (const first of mapInOrder(endless(), 3, async (item, signal) => {
    begun++;
    signal.addEventListener('abort', () => aborted++);
    return item;
  })) {
    assert.equal(first, 0);
    break;
  }
  assert(begun > 0);
  assert.equal(aborted, begun);
  assert(sourceStopped);
});

test('a result is given as soon as it is there, while the source is still waited for', async () => {
  let release = () => {};
  async function* slow() {
    yield 'first';
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    yield 'second';
  }
  const mapped = mapInOrder(slow(), 3, async (item) => item);
  assert.equal((await mapped.next()).value, 'first');
  release();
  assert.equal((await mapped.next()).value, 'second');
  assert((await mapped.next()).done);
});

test('a source that fails aborts what is under way', async () => {
  let aborted = false;
  async function* broken() {
    yield 1;
    throw new Error('the source broke');
  }
  const mapped = mapInOrder(broken(), 3, (_, signal) => {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(signal.reason);
      });
    });
  });
  await assert.rejects(async () => {
    for await (const _ of mapped);
  }, /the source broke/);
  assert(aborted);
});

async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
