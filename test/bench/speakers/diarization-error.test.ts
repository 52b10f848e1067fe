import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  diarizationError,
  errorRate,
  type LabelledStretch,
} from '../../../bench/speakers/diarization-error.ts';

const stretch = (speaker: string | number, startSeconds: number, endSeconds: number): LabelledStretch => ({
  speaker,
  startSeconds,
  endSeconds,
});

function seconds(reference: LabelledStretch[], found: LabelledStretch[]): number[] {
  const error = diarizationError(reference, found);
  return [error.referenceSeconds, error.missedSeconds, error.falseAlarmSeconds, error.confusedSeconds];
}

test('other names for the same turns are no error', () => {
  const reference = [stretch('a', 0, 4), stretch('b', 4, 6), stretch('a', 7, 8)];
  const found = [stretch(1, 0, 4), stretch(0, 4, 6), stretch(1, 7, 8)];
  assert.deepEqual(seconds(reference, found), [7, 0, 0, 0]);
});

test('speech that is left out is missed, and sound that is nobody’s is a false alarm', () => {
  assert.deepEqual(seconds([stretch('a', 1, 5)], [stretch(0, 2, 7)]), [4, 1, 2, 0]);
});

test('of two who speak at once one is missed when one is found', () => {
  const reference = [stretch('a', 0, 10), stretch('b', 6, 10)];
  assert.deepEqual(seconds(reference, [stretch(0, 0, 10)]), [14, 4, 0, 0]);
});

test('time given to the wrong speaker is confused, where the names are mapped as well as they can be', () => {
  // One found speaker for two: it stands for whom it shares more time with.
  assert.deepEqual(seconds([stretch('a', 0, 6), stretch('b', 6, 10)], [stretch(0, 0, 10)]), [10, 0, 0, 4]);
  // Greedily, 0 would be a (4 s) and 1 nobody (0 s with b): 0 as b and 1 as a share 3 + 3.
  const reference = [stretch('a', 0, 7), stretch('b', 7, 10)];
  const found = [stretch(0, 0, 4), stretch(1, 4, 7), stretch(0, 7, 10)];
  assert.deepEqual(seconds(reference, found), [10, 0, 0, 4]);
});

test('two found where one speaks: the right one counts, the other is a false alarm', () => {
  const reference = [stretch('a', 0, 10)];
  assert.deepEqual(seconds(reference, [stretch(0, 0, 10), stretch(1, 2, 5)]), [10, 0, 3, 0]);
});

test('a speaker who overlaps himself in the reference is counted once', () => {
  assert.deepEqual(seconds([stretch('a', 0, 6), stretch('a', 5, 8)], [stretch(3, 0, 8)]), [8, 0, 0, 0]);
});

test('the rate of several recordings is of their seconds together', () => {
  const first = diarizationError([stretch('a', 0, 90)], [stretch(0, 0, 90)]);
  const second = diarizationError([stretch('a', 0, 10)], []);
  assert.equal(errorRate([first, second]), 0.1);
});
