import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endWithLastWord, isSparse } from '../../../../src/speech/inference/times/sparse-text.ts';
import { recognisedSegment } from '../../recognised.ts';

const word = (text: string, startSeconds: number, endSeconds: number) => ({
  text,
  startSeconds,
  endSeconds,
  probability: 1,
});
const segment = (tokens: number, words: ReturnType<typeof word>[]) => ({
  ...recognisedSegment({ startSeconds: 0.5, endSeconds: 12 }),
  tokens: Array.from({ length: tokens }, (_, index) => index),
  words,
});
const speech = [
  { startSeconds: 0.5, endSeconds: 5 },
  { startSeconds: 5.5, endSeconds: 12 },
];

test('a text that is too short for its speech ends with its last word', () => {
  const early = segment(17, [word('Hello', 0.5, 2), word('there.', 2, 5.2)]);
  assert.equal(isSparse(early, speech), true);
  endWithLastWord(early, speech);
  assert.equal(early.endSeconds, 5.2);
});

test('slow speech keeps its end: the words reach it', () => {
  const slow = segment(17, [word('Hel', 0.5, 6), word('lo.', 6, 10.5)]);
  endWithLastWord(slow, speech);
  assert.equal(slow.endSeconds, 12);
});

test('a segment with enough text for its speech is left as it is, whatever times its words have', () => {
  const full = segment(40, [word('Hello.', 0.5, 2)]);
  assert.equal(isSparse(full, speech), false);
  endWithLastWord(full, speech);
  assert.equal(full.endSeconds, 12);
});

test('a few words beside silence are not too few', () => {
  const short = segment(3, [word('Yes.', 0.5, 1)]);
  assert.equal(isSparse(short, [{ startSeconds: 0.5, endSeconds: 2 }]), false);
});
