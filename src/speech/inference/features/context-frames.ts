import type { Pcm } from '../../../audio/pcm.ts';
import { framesPerSecond, fullContextFrames } from '../../../model/whisper-shape.ts';
import { leadSeconds } from '../window-lead.ts';
import { type LogMel, melBands } from './log-mel.ts';

/** The frames of a window that the encoder attends to, as positions in time: `framesPerSecond` to a second, rising. */
export type ContextFrames = readonly number[];

export const fullContext: ContextFrames = Array.from(
  { length: fullContextFrames },
  (_, position) => position,
);

/**
 * The frames that are kept of the silence around the speech, as distances from where the speech begins and from where it ends. The
 * encoder needs some silence on either side, but not every frame of it, and its time grows faster than the number of frames. The
 * adapter was trained with these (training/silence.py).
 */
const keptBefore = [20, 13, 6, 1];
const keptAfter = [0, 1, 16, 49];

/** All of the speech and little else, for a window that has its lead. The model must have been trained for it. */
export function shortContext(audioSeconds: number): ContextFrames {
  const begin = Math.round(leadSeconds * framesPerSecond);
  const end = Math.ceil(audioSeconds * framesPerSecond);
  const spoken = Array.from({ length: end - begin }, (_, index) => begin + index);
  const before = keptBefore.map((distance) => begin - distance);
  const after = keptAfter.map((distance) => end + distance);
  return [...before, ...spoken, ...after].filter((position) => position < fullContextFrames);
}

/**
 * The features of the context's frames alone, two columns for each. Where silence was left out, the encoder's convolutions meet other
 * neighbours than in the recording, but those are as silent as the true ones.
 */
export function contextFeatures(logMel: LogMel, audio: Pcm, context: ContextFrames): Float32Array {
  const columns = 2 * (context.at(-1)! + 1);
  const all = logMel(audio, columns);
  if (columns === 2 * context.length) return all;
  const features = new Float32Array(melBands * 2 * context.length);
  for (let band = 0, at = 0; band < melBands; band++) {
    for (const position of context) {
      features[at++] = all[band * columns + 2 * position]!;
      features[at++] = all[band * columns + 2 * position + 1]!;
    }
  }
  return features;
}

/** How many frames of the context lie before a position, whether or not the frame at that position belongs to it. */
export function framesBefore(context: ContextFrames, position: number): number {
  const index = context.findIndex((each) => each >= position);
  return index < 0 ? context.length : index;
}
