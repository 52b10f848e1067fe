import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignSpeakers } from '../../../src/speech/speakers/assign-speakers.ts';
import type { Segment } from '../../../src/speech/transcript/segment.ts';

const turns = [
  { startSeconds: 0, endSeconds: 4, speaker: 0 },
  { startSeconds: 4, endSeconds: 8, speaker: 1 },
  { startSeconds: 10, endSeconds: 12, speaker: 0 },
];

test('a segment goes to who speaks longest in it, or nearest to it', () => {
  const { segments, numSpeakers } = assignSpeakers(
    [segment(0, 3.5, 'one'), segment(3.5, 8, 'two'), segment(9.6, 9.8, 'three')],
    turns,
  );
  assert.deepEqual(
    segments.map(({ speaker }) => speaker),
    [0, 1, 0],
  );
  assert.equal(numSpeakers, 2);
});

test('a segment in which the speaker changes is cut at the word, and marks stay with the word before', () => {
  const spoken = segment(2, 7, 'Is it you? Yes, it is.', [
    ['Is', 2, 2.5],
    ['it', 2.5, 3],
    ['you?', 3, 3.9],
    ['Yes,', 4.2, 5],
    ['it', 5, 5.5],
    ['is.', 5.5, 7],
  ]);
  const { segments } = assignSpeakers([spoken], turns);
  assert.deepEqual(
    segments.map(({ id, text, speaker, startSeconds, endSeconds }) => [
      id,
      text,
      speaker,
      startSeconds,
      endSeconds,
    ]),
    [
      [0, 'Is it you?', 0, 2, 3.9],
      [1, 'Yes, it is.', 1, 4.2, 7],
    ],
  );
  assert.deepEqual(
    segments.map(({ tokens }) => tokens.length),
    [3, 0],
  );
});

test('Chinese is cut without a space', () => {
  const spoken = segment(2, 7, '你好嗎？我很好。', [
    ['你好', 2, 3],
    ['嗎？', 3, 3.9],
    ['我', 4.2, 5],
    ['很好。', 5, 7],
  ]);
  const { segments } = assignSpeakers([spoken], turns);
  assert.deepEqual(
    segments.map(({ text }) => text),
    ['你好嗎？', '我很好。'],
  );
});

test('words that the text does not have, as after a change of script, are joined instead', () => {
  const spoken = segment(2, 7, 'something else', [
    ['one', 2, 3],
    ['two', 5, 7],
  ]);
  assert.deepEqual(
    assignSpeakers([spoken], turns).segments.map(({ text }) => text),
    ['one', 'two'],
  );
});

test('speakers are numbered as the text has them, and those without text are not counted', () => {
  const { segments, numSpeakers } = assignSpeakers([segment(4.5, 7, 'one'), segment(10, 12, 'two')], turns);
  assert.deepEqual(
    segments.map(({ speaker }) => speaker),
    [0, 1],
  );
  assert.equal(numSpeakers, 2);
  assert.equal(assignSpeakers([segment(4.5, 7, 'one')], turns).numSpeakers, 1);
});

test('without any turn everything is one speaker’s', () => {
  const { segments, numSpeakers } = assignSpeakers([segment(0, 1, 'one'), segment(1, 2, 'two')], []);
  assert.deepEqual(
    segments.map(({ speaker }) => speaker),
    [0, 0],
  );
  assert.equal(numSpeakers, 1);
});

function segment(
  startSeconds: number,
  endSeconds: number,
  text: string,
  words: [string, number, number][] = [],
): Segment {
  return {
    id: 0,
    startSeconds,
    endSeconds,
    text,
    language: 'en',
    words: words.map(([word, start, end]) => ({
      text: word,
      startSeconds: start,
      endSeconds: end,
      probability: 1,
    })),
    tokens: [1, 2, 3],
    temperature: 0,
    averageLogProbability: -0.1,
    compressionRatio: 1,
    noSpeechProbability: 0,
  };
}
