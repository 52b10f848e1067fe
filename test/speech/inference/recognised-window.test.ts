import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesPerSecond } from '../../../src/model/whisper-shape.ts';
import { fullContext } from '../../../src/speech/inference/features/context-frames.ts';
import type { WhisperDecoder } from '../../../src/speech/inference/network/whisper-decoder.ts';
import { recognisedWindow } from '../../../src/speech/inference/recognised-window.ts';
import { uncoveredStretches } from '../../../src/speech/windows/uncovered.ts';
import { aWindow } from '../a-window.ts';
import { smallVocabulary, time } from '../small-vocabulary.ts';

const audioSeconds = 8;
const text = '春天的花園內底真鬧熱';
/** The decoder's timestamps end the text here, although somebody speaks up to the end of the audio. */
const writtenEnd = 3.4;

test('a text whose timestamp came too early reaches as far as its words, and nothing counts as left out', async () => {
  const { segments, aligned } = await recognised({ saidUntil: 7.4 });
  assert.equal(aligned, 1);
  assert(Math.abs(segments[0]!.endSeconds - 7.8) < 0.5, `${segments[0]!.endSeconds} s`);
  assert.deepEqual(uncoveredStretches({ segments }, audioSeconds), []);
});

test('speech behind a text that stops early still counts as left out', async () => {
  const { segments } = await recognised({ saidUntil: writtenEnd });
  const [left] = uncoveredStretches({ segments }, audioSeconds);
  assert(left && Math.abs(left.startSeconds - writtenEnd) < 0.1);
  assert.equal(left.endSeconds, audioSeconds);
});

test('the words of a partial, which is not recognised again, are not asked', async () => {
  const { segments, aligned } = await recognised({ saidUntil: 7.4, mayRetry: false });
  assert.deepEqual([segments[0]!.endSeconds, aligned], [writtenEnd, 0]);
});

/** Every character takes the same time, from 0.4 s on, and the attention lies where it is said. */
async function recognised({ saidUntil, mayRetry = true }: { saidUntil: number; mayRetry?: boolean }) {
  const tokens = [...text].map((_, index) => index);
  const opening = 4;
  let aligned = 0;
  const align: WhisperDecoder['align'] = async (_, fed) => {
    aligned++;
    const weights = new Float32Array(fed.length * fullContext.length);
    for (let token = 0; token < fed.length; token++) {
      const index = token - (opening - 1);
      const [from, to] = [saidAt(index), index < tokens.length ? saidAt(index + 1) : audioSeconds];
      for (const [frame, position] of fullContext.entries()) {
        const looked = position / framesPerSecond >= from && position / framesPerSecond < to;
        weights[token * fullContext.length + frame] = looked ? 1 : 0.01;
      }
    }
    return { heads: 1, tokens: fed.length, frames: fullContext.length, weights };
  };
  const saidAt = (index: number) => 0.4 + (index * (saidUntil - 0.4)) / tokens.length;
  const bytesOf = (some: readonly number[]) =>
    new TextEncoder().encode(some.map((token) => [...text][token]).join(''));
  const written = [time(0.4), ...tokens, time(writtenEnd)];
  const attempt = {
    temperature: 0,
    tokens: written,
    logProbabilities: written.map(() => -0.1),
    averageLogProbability: -0.1,
    compressionRatio: 1,
    looped: false,
  };
  const job = {
    ...aWindow,
    audio: new Float32Array(audioSeconds * 16_000),
    speech: [{ startSeconds: 0.4, endSeconds: 7.8 }],
    words: false,
    mayRetry,
  };
  const { segments } = await recognisedWindow(
    { vocabulary: { ...smallVocabulary, bytesOf }, decoder: { align } as WhisperDecoder },
    0,
    { job, context: fullContext, language: 'nan', noSpeechProbability: 0 },
    attempt,
  );
  return { segments, aligned };
}
