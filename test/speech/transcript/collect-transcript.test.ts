import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectTranscript } from '../../../src/speech/transcript/collect-transcript.ts';
import type { SpokenLanguage } from '../../../src/speech/transcript/languages.ts';
import type { Segment } from '../../../src/speech/transcript/segment.ts';

test('the language of a transcript is the one spoken for the longest time', async () => {
  const { language, segments, durationSeconds } = await collectTranscript(
    segmentsOf([2, 'en'], [5, 'zh'], [2, 'en']),
    'mixed',
  );
  assert.equal(language, 'zh');
  assert.equal(segments.length, 3);
  assert.equal(durationSeconds, 10);
});

test('silence has the language that was asked for', async () => {
  assert.equal((await collectTranscript(segmentsOf(), 'en-US')).language, 'en');
  assert.equal((await collectTranscript(segmentsOf(), 'mixed')).language, 'zh');
});

async function* segmentsOf(
  ...pieces: [number, SpokenLanguage][]
): AsyncGenerator<Segment, { durationSeconds: number }> {
  const figures = {
    tokens: [],
    temperature: 0,
    averageLogProbability: 0,
    compressionRatio: 1,
    noSpeechProbability: 0,
  };
  for (const [id, [endSeconds, language]] of pieces.entries()) {
    yield { id, startSeconds: 0, endSeconds, text: '', language, words: [], ...figures };
  }
  return { durationSeconds: 10 };
}
