import { decodeAudio, sampleRate } from '../../evaluation/decoded-audio.ts';
import type { SpeechSet } from '../speech-sets.ts';

/** A sentence cut to its speech. */
export type ClearSentence = { set: string; text: string; samples: Float32Array };

const frameSamples = sampleRate / 100;
/**
 * Below the loudest 10 ms: the quietest level that stands clear of a recording's background is taken. Lower ones would
 * also count the breath before a sentence.
 */
const audibleDecibels = [-30, -25];
/** Where the level rises steeply, this much more moves an edge by little. */
const steepnessDecibels = 10;
const maxShiftFrames = 15;
const minQuietFrames = 10;

/**
 * The first sentences of a set whose edges are certain: it is quiet before and after, and the level rises and falls
 * steeply. Most recordings made in the open have a background in which a start cannot be told to 0.3 s.
 */
export async function findClearSentences(set: SpeechSet, count: number): Promise<ClearSentence[]> {
  const found: ClearSentence[] = [];
  for (const { file, text } of set.sentences) {
    if (found.length === count) break;
    const samples = cutToSpeech(await decodeAudio(file));
    if (samples) found.push({ set: set.name, text, samples });
  }
  return found;
}

function cutToSpeech(samples: Float32Array): Float32Array | undefined {
  const powers = framePowers(samples);
  for (const decibels of audibleDecibels) {
    const { first, last } = audibleFrames(powers, decibels);
    const steep = audibleFrames(powers, decibels + steepnessDecibels);
    const quiet = Math.min(first, powers.length - 1 - last);
    const shift = Math.max(steep.first - first, last - steep.last);
    if (quiet >= minQuietFrames && shift <= maxShiftFrames)
      return samples.subarray(first * frameSamples, (last + 1) * frameSamples);
  }
  return undefined;
}

function framePowers(samples: Float32Array): number[] {
  return Array.from({ length: Math.floor(samples.length / frameSamples) }, (_, frame) =>
    samples
      .subarray(frame * frameSamples, (frame + 1) * frameSamples)
      .reduce((sum, sample) => sum + sample ** 2, 0),
  );
}

function audibleFrames(powers: number[], decibels: number): { first: number; last: number } {
  const threshold = Math.max(...powers) * 10 ** (decibels / 10);
  const isAudible = (power: number) => power > threshold;
  return { first: powers.findIndex(isAudible), last: powers.findLastIndex(isAudible) };
}
