import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uncoveredStretches } from '../../../src/speech/windows/uncovered.ts';
import { recognisedSegment, recognisedWindow } from '../recognised.ts';

const textAt = (...stretches: [number, number][]) =>
  recognisedWindow(
    stretches.map(([startSeconds, endSeconds]) => recognisedSegment({ startSeconds, endSeconds })),
  );

test('text that covers its window leaves nothing out', () => {
  assert.deepEqual(uncoveredStretches(textAt([0, 4], [5, 9.5]), 10), []);
});

test('a text that stops early leaves out the rest, past a tail of 1.6 s', () => {
  assert.deepEqual(uncoveredStretches(textAt([0, 8.5]), 10), []);
  assert.deepEqual(uncoveredStretches(textAt([0, 8]), 10), [{ startSeconds: 8, endSeconds: 10 }]);
});

test('a jump of more than 3 s leaves out what lies between, at the start too', () => {
  assert.deepEqual(uncoveredStretches(textAt([2.9, 5], [7.9, 10]), 10), []);
  assert.deepEqual(uncoveredStretches(textAt([4, 10], [14, 20]), 20), [
    { startSeconds: 0, endSeconds: 4 },
    { startSeconds: 10, endSeconds: 14 },
  ]);
});

test('segments that overlap cover as far as the one that ends last', () => {
  assert.deepEqual(uncoveredStretches(textAt([0, 9], [1, 2], [12.5, 20]), 20), [
    { startSeconds: 9, endSeconds: 12.5 },
  ]);
});

test('a window without text is not tried again', () => {
  assert.deepEqual(uncoveredStretches(textAt(), 20), []);
});
