import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorInterval } from '../../evaluation/confidence-interval.ts';

const sentence = (units: number, substitutions: number) => ({
  units,
  substitutions,
  deletions: 0,
  insertions: 0,
});

test('the interval holds the rate, and is the same every time', () => {
  const scores = Array.from({ length: 100 }, (_, index) => sentence(10, index % 10 === 0 ? 5 : 0));
  const [low, high] = errorInterval(scores);
  assert.ok(low > 0.01 && low < 0.05, String(low));
  assert.ok(high > 0.05 && high < 0.09, String(high));
  assert.deepEqual(errorInterval(scores), [low, high]);
});

test('the more sentences, the narrower', () => {
  const some = (count: number) =>
    Array.from({ length: count }, (_, index) => sentence(10, index % 4 === 0 ? 4 : 0));
  const width = ([low, high]: [number, number]) => high - low;
  assert.ok(width(errorInterval(some(400))) < width(errorInterval(some(40))) / 2);
});

test('where every sentence fares alike there is nothing to doubt', () => {
  assert.deepEqual(errorInterval([sentence(10, 1), sentence(20, 2), sentence(30, 3)]), [0.1, 0.1]);
});
