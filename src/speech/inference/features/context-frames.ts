import type { Pcm } from '../../../audio/pcm.ts';
import { framesPerSecond, fullContextFrames } from '../../../model/whisper-shape.ts';
import { leadSeconds } from '../window-lead.ts';
import { type LogMel, melBands } from './log-mel.ts';

/** Which frames of a window the encoder hears: their places in time, `framesPerSecond` a second, rising. */
export type ContextFrames = readonly number[];

export const fullContext: ContextFrames = Array.from({ length: fullContextFrames }, (_, place) => place);

/**
 * Of the silence around the speech, the frames that are heard, counted from where it begins and where it ends. The encoder wants some
 * of it on either side, but not every frame: its time grows faster than their number. The adapter has learnt to do with these
 * (training/silence.py).
 */
const heardBefore = [20, 13, 6, 1];
const heardAfter = [0, 1, 16, 49];

/** What is heard of a window that has its lead, when the model was trained for it: all of the speech and little else. */
export function shortContext(audioSeconds: number): ContextFrames {
  const begin = Math.round(leadSeconds * framesPerSecond);
  const end = Math.ceil(audioSeconds * framesPerSecond);
  const spoken = Array.from({ length: end - begin }, (_, index) => begin + index);
  const before = heardBefore.map((distance) => begin - distance);
  const after = heardAfter.map((distance) => end + distance);
  return [...before, ...spoken, ...after].filter((place) => place < fullContextFrames);
}

/**
 * The features of those frames alone, two columns each. The encoder's convolutions then meet other neighbours around a silence that was
 * left out, which are as silent as the true ones.
 */
export function contextFeatures(logMel: LogMel, audio: Pcm, heard: ContextFrames): Float32Array {
  const columns = 2 * (heard.at(-1)! + 1);
  const all = logMel(audio, columns);
  if (columns === 2 * heard.length) return all;
  const features = new Float32Array(melBands * 2 * heard.length);
  for (let band = 0, at = 0; band < melBands; band++) {
    for (const place of heard) {
      features[at++] = all[band * columns + 2 * place]!;
      features[at++] = all[band * columns + 2 * place + 1]!;
    }
  }
  return features;
}

/** How many frames are heard before a place in time. */
export function framesBefore(heard: ContextFrames, place: number): number {
  const index = heard.findIndex((each) => each >= place);
  return index < 0 ? heard.length : index;
}
