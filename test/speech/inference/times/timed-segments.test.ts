import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timedSegments } from '../../../../src/speech/inference/times/timed-segments.ts';
import { letters, smallVocabulary, time } from '../../small-vocabulary.ts';

test('text is cut at its timestamps', () => {
  assert.deepEqual(cut([time(0.2), ...letters('one'), time(2.4), time(2.6), ...letters('two'), time(5)]), [
    ['one', 0.2, 2.4],
    ['two', 2.6, 5],
  ]);
});

test('text that is never closed lasts to the end of the audio', () => {
  assert.deepEqual(cut([time(0.2), ...letters('one'), time(2), time(2), ...letters('two')]), [
    ['one', 0.2, 2],
    ['two', 2, 8],
  ]);
});

test('no time lies beyond the audio', () => {
  assert.deepEqual(cut([time(0), ...letters('one'), time(9)]), [['one', 0, 8]]);
});

test('a pair of timestamps without text is no segment', () => {
  assert.deepEqual(cut([time(0), ...letters('one'), time(2), time(3)]), [['one', 0, 2]]);
  assert.deepEqual(cut([]), []);
});

test('each segment has its own tokens with their log-probabilities', () => {
  const tokens = [time(0), ...letters('ab'), time(1), time(1), ...letters('cd'), time(2)];
  const segments = timedSegments(smallVocabulary, attempt(tokens), 8);
  assert.deepEqual(
    segments.map((segment) => segment.tokens),
    [letters('ab'), letters('cd')],
  );
  assert.deepEqual(
    segments.map((segment) => segment.logProbabilities),
    [
      [-1, -2],
      [-5, -6],
    ],
  );
});

function cut(tokens: number[]): [string, number, number][] {
  return timedSegments(smallVocabulary, attempt(tokens), 8).map(({ text, startSeconds, endSeconds }) => [
    text,
    Number(startSeconds.toFixed(6)),
    Number(endSeconds.toFixed(6)),
  ]);
}

function attempt(tokens: number[]) {
  return {
    temperature: 0,
    tokens,
    logProbabilities: tokens.map((_, index) => -index),
    averageLogProbability: -1,
    compressionRatio: 1,
    looped: false,
  };
}
