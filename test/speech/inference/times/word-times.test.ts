import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesPerSecond } from '../../../../src/model/whisper-shape.ts';
import {
  type ContextFrames,
  fullContext,
  shortContext,
} from '../../../../src/speech/inference/features/context-frames.ts';
import type { WhisperDecoder } from '../../../../src/speech/inference/network/whisper-decoder.ts';
import { alignWords, keepWithin } from '../../../../src/speech/inference/times/word-times.ts';
import type { RecognisedSegment } from '../../../../src/speech/windows/window-messages.ts';
import { smallVocabulary } from '../../small-vocabulary.ts';

const audioSeconds = 3.4;
/** When each word is said, and when the last of them ends. */
const said = [0.6, 1.1, 1.9, 2.6];

for (const [name, context] of [
  ['the context is full', fullContext],
  ['the context is short', shortContext(audioSeconds)],
] as const) {
  test(`words have the times at which they are said when ${name}`, async () => {
    const words = await timedWords(context);
    assert.equal(words.length, 3);
    for (const [index, { startSeconds, endSeconds }] of words.entries()) {
      assert(Math.abs(startSeconds - said[index]!) <= 0.06, `word ${index} begins at ${startSeconds}`);
      assert(Math.abs(endSeconds - said[index + 1]!) <= 0.06, `word ${index} ends at ${endSeconds}`);
    }
  });
}

/** Every token is a word. */
function bytesOf(tokens: readonly number[]): Uint8Array {
  return new TextEncoder().encode(tokens.map((token) => '一二三'[token]).join(''));
}

/** By a decoder whose one head attends to a word at the time when it is said, and at the end of the text to whatever comes after it. */
async function timedWords(context: ContextFrames) {
  const opening = 4;
  const align: WhisperDecoder['align'] = async (_, tokens) => {
    const weights = new Float32Array(tokens.length * context.length);
    for (let token = 0; token < tokens.length; token++) {
      // The decoder attends to a word when the token before it is put in.
      const word = token - (opening - 1);
      for (const [frame, position] of context.entries()) {
        const time = position / framesPerSecond;
        const looked = word >= 0 && time >= said[word]! && time < (said[word + 1] ?? audioSeconds);
        weights[token * context.length + frame] = looked ? 1 : 0.01;
      }
    }
    return { heads: 1, tokens: tokens.length, frames: context.length, weights };
  };
  const tokens = [0, 1, 2];
  const segment = {
    startSeconds: said[0],
    endSeconds: audioSeconds,
    tokens,
    logProbabilities: [0, 0, 0],
    words: [],
  };
  const segments = [segment as unknown as RecognisedSegment];
  await alignWords({
    decoder: { align } as WhisperDecoder,
    row: 0,
    vocabulary: { ...smallVocabulary, bytesOf },
    language: 'en',
    segments,
    audioSeconds,
    context,
  });
  keepWithin(segments[0]!);
  return segments[0]!.words;
}
