import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from '../../src/async/pace.ts';

function paced(perSecond: number, burst: number) {
  let time = 0;
  const pace = createPace({ perSecond, burst, now: () => time });
  return { pace, wait: (ms: number) => (time += ms) };
}

test('what comes no faster than it may is never ahead', () => {
  const { pace, wait } = paced(400, 2_000);
  for (let count = 0; count < 20_000; count++) {
    pace.count();
    assert.equal(pace.aheadMs(), 0);
    wait(2.5);
  }
});

test('a burst may come at once, and more waits for its time', () => {
  const { pace, wait } = paced(400, 2_000);
  pace.count(2_000);
  assert.equal(pace.aheadMs(), 0);
  pace.count(400);
  assert.equal(pace.aheadMs(), 1_000);
  wait(900);
  assert.equal(Math.round(pace.aheadMs()), 100);
  wait(100);
  assert.equal(pace.aheadMs(), 0);
});

test('a pause saves nothing up', () => {
  const { pace, wait } = paced(10, 5);
  wait(3_600_000);
  pace.count(6);
  assert.equal(pace.aheadMs(), 100);
});

test('whatever came before, nobody waits longer than the longest wait', () => {
  let time = 0;
  const pace = createPace({ perSecond: 10, burst: 5, longestMs: 2_000, now: () => time });
  pace.count(1_000);
  assert.equal(pace.aheadMs(), 2_000);
  time += 2_000;
  assert.equal(pace.aheadMs(), 0);
});
