import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFramePace } from '../../../../src/http/realtime/socket/frame-pace.ts';

function atTime() {
  let time = 0;
  const pace = createFramePace(() => time);
  return { pace, wait: (ms: number) => (time += ms), send: (frames: number) => count(pace, frames) };
}

function count(pace: ReturnType<typeof createFramePace>, frames: number) {
  for (let i = 0; i < frames; i++) pace.count();
}

test('frames of 10 ms, as fast as they are spoken or four times as fast, are never ahead', () => {
  for (const everyMs of [10, 2.5]) {
    const { pace, wait, send } = atTime();
    for (let frame = 0; frame < 20_000; frame++) {
      send(1);
      assert.ok(!pace.isAhead());
      wait(everyMs);
    }
  }
});

test('a file of half a minute may come at once, and more waits for its time', () => {
  const { pace, wait, send } = atTime();
  send(1_500);
  assert.ok(!pace.isAhead());
  send(1_000);
  assert.ok(pace.isAhead());
  wait(1_000);
  assert.ok(pace.isAhead());
  wait(300);
  assert.ok(!pace.isAhead());
});

test('silence saves nothing up', () => {
  const { pace, wait, send } = atTime();
  wait(3_600_000);
  send(2_001);
  assert.ok(pace.isAhead());
});
