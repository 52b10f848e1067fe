import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachOverWords, seemsToLeaveOut } from '../../../../src/speech/inference/times/attended-segments.ts';
import { recognisedSegment } from '../../recognised.ts';

const speech = [{ startSeconds: 0.4, endSeconds: 9.8 }];
const audioSeconds = 10;

/** A segment by its timestamps, with words where the attention was. */
function segment(startSeconds: number, endSeconds: number, ...words: [number, number][]) {
  return recognisedSegment({
    startSeconds,
    endSeconds,
    words: words.map(([start, end]) => ({
      text: '字',
      startSeconds: start,
      endSeconds: end,
      probability: 1,
    })),
  });
}

test('a text whose timestamps reach the end of the speech leaves nothing out', () => {
  assert.equal(seemsToLeaveOut([segment(0.4, 9)], speech, audioSeconds), false);
  assert.equal(seemsToLeaveOut([segment(0.4, 6)], speech, audioSeconds), true);
  assert.equal(seemsToLeaveOut([segment(0.4, 3), segment(7, 9.8)], speech, audioSeconds), true);
});

test('a segment whose timestamp came too early reaches as far as its words', () => {
  const segments = [segment(0.4, 6, [0.4, 5.5], [5.5, 6.4], [6.4, 7.2], [7.2, 7.9], [7.9, 8.6])];
  reachOverWords(segments);
  assert.deepEqual([segments[0]!.startSeconds, segments[0]!.endSeconds], [0.4, 8.5]);
  assert.equal(seemsToLeaveOut(segments, speech, audioSeconds), false);
});

test('speech behind the last word stays left out, however far attention drags that word', () => {
  const segments = [segment(0.4, 3, [0.4, 2], [2, 9.8])];
  reachOverWords(segments);
  assert.equal(segments[0]!.endSeconds, 3);
  assert.equal(seemsToLeaveOut(segments, speech, audioSeconds), true);
});

test('words that crowd where nobody can have said them all do not count', () => {
  const segments = [segment(0.4, 3, [0.4, 9.8], [9.8, 9.8], [9.8, 9.8], [9.8, 9.8], [9.8, 9.8])];
  reachOverWords(segments);
  assert.equal(segments[0]!.endSeconds, 3);
  const spread = [segment(0.4, 3, [0.4, 4], [4, 4.6], [4.6, 4.6], [4.6, 5.2], [5.2, 5.2])];
  reachOverWords(spread);
  assert.equal(spread[0]!.endSeconds, 3);
});

test('a hole closes from both sides as far as words lie in it, and no segment reaches into another', () => {
  const segments = [
    segment(0.4, 2, [1, 2], [2.1, 2.6], [2.6, 3]),
    segment(7, 9.8, [4.4, 5], [5, 5.6], [5.6, 6.2], [6.2, 9.8]),
  ];
  reachOverWords(segments);
  assert.deepEqual(
    segments.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    [
      [0.4, 3],
      [4.4, 9.8],
    ],
  );
  const near = [segment(0.4, 2, [1, 4]), segment(2.5, 9.8, [1.5, 9.8])];
  reachOverWords(near);
  assert.deepEqual(
    near.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    [
      [0.4, 2],
      [2.5, 9.8],
    ],
  );
});
