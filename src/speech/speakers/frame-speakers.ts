import type { SpokenStretch } from '../windows/speech-window.ts';
import type { VoicePrint } from './speaker-model.ts';
import { dot } from './voice-groups.ts';

/** A tenth of a second of speech is given to one speaker. */
export const frameSeconds = 0.1;
/** What a change of speaker costs, in frames times likeness: much in the middle of speech, little after a pause. */
const changeCost = 2;
const pauseChangeCost = 0.6;

export type SpeechFrame = { startSeconds: number; endSeconds: number; afterPause: boolean };

export function speechFrames(speech: readonly SpokenStretch[]): SpeechFrame[] {
  return speech.flatMap(({ startSeconds, endSeconds }) => {
    const count = Math.max(1, Math.round((endSeconds - startSeconds) / frameSeconds));
    const length = (endSeconds - startSeconds) / count;
    return Array.from({ length: count }, (_, index) => ({
      startSeconds: startSeconds + index * length,
      endSeconds: startSeconds + (index + 1) * length,
      afterPause: index === 0,
    }));
  });
}

/** The speaker of each frame: the likeliest path through all frames (Viterbi), given that changes are rare. */
export function speakersOfFrames(
  frames: readonly SpeechFrame[],
  prints: readonly VoicePrint[],
  voices: readonly ArrayLike<number>[],
): Uint8Array {
  const likeness = frameLikeness(frames, prints, voices);
  const count = voices.length;
  const cameFrom = new Uint8Array(frames.length * count);
  let scores = new Float64Array(count);
  for (const [index, { afterPause }] of frames.entries()) {
    const next = new Float64Array(count);
    const top = scores.indexOf(Math.max(...scores));
    const changed = scores[top]! - (afterPause ? pauseChangeCost : changeCost);
    for (let voice = 0; voice < count; voice++) {
      const stays = index === 0 || scores[voice]! >= changed;
      cameFrom[index * count + voice] = stays ? voice : top;
      next[voice] = (stays ? scores[voice]! : changed) + likeness[index * count + voice]!;
    }
    scores = next;
  }
  const speakers = new Uint8Array(frames.length);
  let voice = scores.indexOf(Math.max(...scores));
  for (let index = frames.length - 1; index >= 0; index--) {
    speakers[index] = voice;
    voice = cameFrom[index * count + voice]!;
  }
  return speakers;
}

/** How like each voice a frame is: the mean over the prints that contain it, weighted by how near the frame is to the middle of each. */
function frameLikeness(
  frames: readonly SpeechFrame[],
  prints: readonly VoicePrint[],
  voices: readonly ArrayLike<number>[],
): Float64Array {
  const count = voices.length;
  const sums = new Float64Array(frames.length * count);
  const weights = new Float64Array(frames.length);
  let first = 0;
  for (const { startSeconds, endSeconds, embedding } of prints) {
    const alike = voices.map((voice) => dot(embedding, voice));
    const [middle, half] = [(startSeconds + endSeconds) / 2, (endSeconds - startSeconds) / 2];
    while (first < frames.length && frames[first]!.endSeconds <= startSeconds) first++;
    for (let index = first; index < frames.length && frames[index]!.startSeconds < endSeconds; index++) {
      const frame = frames[index]!;
      const off = Math.abs((frame.startSeconds + frame.endSeconds) / 2 - middle) / half;
      const weight = Math.max(0.05, 1 - off);
      weights[index]! += weight;
      for (let voice = 0; voice < count; voice++) sums[index * count + voice]! += weight * alike[voice]!;
    }
    // Prints overlap: the next one may begin before this one ended.
    while (first > 0 && frames[first - 1]!.endSeconds > startSeconds) first--;
  }
  return sums.map((sum, index) => sum / Math.max(weights[Math.floor(index / count)]!, 1e-9));
}
