import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { publishedModel } from '../../../../src/model/catalogue.ts';
import { readVocabulary, type Vocabulary } from '../../../../src/speech/inference/decoding/vocabulary.ts';
import { longSilences, splitAtSilences } from '../../../../src/speech/inference/times/split-at-silences.ts';
import { createPromptTokeniser } from '../../../../src/speech/recognition/prompt-tokens.ts';
import { recognisedSegment } from '../../recognised.ts';

const { folder } = publishedModel('tiny');
const speech = [
  { startSeconds: 0, endSeconds: 2 },
  { startSeconds: 2.3, endSeconds: 4 },
  { startSeconds: 6, endSeconds: 8 },
];
let vocabulary: Vocabulary;

before(async () => {
  vocabulary = await readVocabulary(folder);
});

test('only silences of more than half a second count', () => {
  assert.deepEqual(longSilences(speech), [{ startSeconds: 4, endSeconds: 6 }]);
});

test('a segment that reaches over a silence is cut at the word, and nothing of it is lost', async () => {
  const whole = await segmentOf(
    [' Good', 0.1, 1],
    [' morning.', 1, 3.9],
    [' Please', 6.1, 7],
    [' come.', 7, 8],
  );
  const parts = splitAtSilences(vocabulary, [whole], longSilences(speech));
  assert.deepEqual(
    parts.map(({ text, startSeconds, endSeconds }) => [text, startSeconds, endSeconds]),
    [
      [' Good morning.', 0.1, 4],
      [' Please come.', 6, 8],
    ],
  );
  assert.deepEqual(
    parts.flatMap(({ tokens }) => tokens),
    whole.tokens,
  );
  assert.deepEqual(
    parts.map(({ words }) => words.length),
    [2, 2],
  );
});

test('a segment on one side of the silence stays whole', async () => {
  const segment = await segmentOf([' Good', 0.1, 1], [' morning.', 1, 3.9]);
  assert.deepEqual(splitAtSilences(vocabulary, [segment], longSilences(speech)), [segment]);
});

async function segmentOf(...words: [string, number, number][]) {
  const text = words.map(([word]) => word).join('');
  const tokens = await createPromptTokeniser({ modelFolder: folder, usedBytes: 2000 })(text.trim(), []);
  return recognisedSegment({
    startSeconds: words[0]![1],
    endSeconds: words.at(-1)![2],
    text,
    tokens,
    logProbabilities: tokens.map(() => -0.1),
    words: words.map(([word, startSeconds, endSeconds]) => ({
      text: word,
      startSeconds,
      endSeconds,
      probability: 1,
    })),
  });
}
