import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapToSpeech } from '../../../../src/speech/inference/times/snap-to-speech.ts';
import { recognisedSegment } from '../../recognised.ts';

const speech = [
  { startSeconds: 0.5, endSeconds: 3 },
  { startSeconds: 8, endSeconds: 11 },
];

test('a segment begins and ends with the voice', () => {
  assert.deepEqual(snap([0, 2.6], [7.2, 11.4]), [
    [0.5, 3],
    [8, 11],
  ]);
});

test('a segment that begins in the last moment before a silence belongs behind it', () => {
  assert.deepEqual(snap([0.5, 2.8], [2.8, 11]), [
    [0.5, 3],
    [8, 11],
  ]);
});

test('an end that lies in the silence does not keep the next segment from its beginning', () => {
  assert.deepEqual(snap([0.5, 8.2], [8.4, 11]), [
    [0.5, 3],
    [8, 11],
  ]);
});

test('two segments of one stretch keep the time between them', () => {
  assert.deepEqual(snap([0.5, 1.6], [1.6, 3]), [
    [0.5, 1.6],
    [1.6, 3],
  ]);
});

test('a time that is far from where the voice stops is left alone', () => {
  assert.deepEqual(snap([0.5, 1.2]), [[0.5, 1.2]]);
});

test('words stay inside their segment', () => {
  const word = { text: ' late', startSeconds: 2.5, endSeconds: 3.6, probability: 1 };
  const segment = recognisedSegment({ startSeconds: 0.2, endSeconds: 3.8, words: [word] });
  snapToSpeech([segment], speech);
  assert.equal(segment.words[0]!.endSeconds, 3);
});

function snap(...times: [number, number][]): [number, number][] {
  const segments = times.map(([startSeconds, endSeconds]) => recognisedSegment({ startSeconds, endSeconds }));
  snapToSpeech(segments, speech);
  return segments.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]);
}
