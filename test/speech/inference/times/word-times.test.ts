import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesPerSecond } from '../../../../src/model/whisper-shape.ts';
import {
  type ContextFrames,
  fullContext,
  shortContext,
} from '../../../../src/speech/inference/features/context-frames.ts';
import type { WhisperDecoder } from '../../../../src/speech/inference/network/whisper-decoder.ts';
import { alignWords } from '../../../../src/speech/inference/times/word-times.ts';
import type { RecognisedSegment } from '../../../../src/speech/windows/window-messages.ts';
import { smallVocabulary } from '../../small-vocabulary.ts';

const audioSeconds = 3.4;
/** When each word is said, and when the last of them ends. */
const said = [0.6, 1.1, 1.9, 2.6];

for (const [name, heard] of [
  ['all of the window is heard', fullContext],
  ['most of the silence is left out', shortContext(audioSeconds)],
] as const) {
  test(`words have the times at which they are said when ${name}`, async () => {
    const words = await timedWords(heard);
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

/** By a decoder whose one head looks at a word's own time, and at the end of the text to whatever comes after it. */
async function timedWords(heard: ContextFrames) {
  const opening = 4;
  const align: WhisperDecoder['align'] = async (_, tokens) => {
    const weights = new Float32Array(tokens.length * heard.length);
    for (let row = 0; row < tokens.length; row++) {
      // What a token says is looked at where the one before it is put in.
      const word = row - (opening - 1);
      for (const [frame, place] of heard.entries()) {
        const time = place / framesPerSecond;
        const looked = word >= 0 && time >= said[word]! && time < (said[word + 1] ?? audioSeconds);
        weights[row * heard.length + frame] = looked ? 1 : 0.01;
      }
    }
    return { heads: 1, tokens: tokens.length, frames: heard.length, weights };
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
    place: 0,
    vocabulary: { ...smallVocabulary, bytesOf },
    language: 'en',
    segments,
    audioSeconds,
    heard,
  });
  return segments[0]!.words;
}
