import { sampleRate } from '../../evaluation/decoded-audio.ts';
import type { ClearSentence } from './clear-sentence.ts';

export type TimedRecording = { samples: Float32Array; spoken: SpokenSentence[] };

export type SpokenSentence = { set: string; text: string; startSeconds: number; endSeconds: number };

/** Joins sentences with digital silences before, between and after them, so that their times are known. */
export function joinWithSilences(
  sentences: ClearSentence[],
  silencesSeconds: readonly number[],
): TimedRecording {
  let position = 0;
  const starts = sentences.map(({ samples }, index) => {
    const start = position + silenceSamples(silencesSeconds, index);
    position = start + samples.length;
    return start;
  });
  const joined = new Float32Array(position + silenceSamples(silencesSeconds, sentences.length));
  const spoken = sentences.map(({ set, text, samples }, index) => {
    const start = starts[index]!;
    joined.set(samples, start);
    return { set, text, startSeconds: start / sampleRate, endSeconds: (start + samples.length) / sampleRate };
  });
  return { samples: joined, spoken };
}

function silenceSamples(silencesSeconds: readonly number[], index: number): number {
  return Math.round(silencesSeconds[index % silencesSeconds.length]! * sampleRate);
}
