import { framesPerSecond, fullContextFrames } from '../model/whisper-shape.ts';

/** Silence that the model is given after the last sound. */
const afterSeconds = 1;
/** Lengths come in steps, so that the decoder's caches keep their shape from one window to the next. */
const stepFrames = 25;

/** How much the encoder hears of a window that is shorter than 30 s, when the model was trained for it: its time grows faster than the length. */
export function contextFrames(audioSeconds: number): number {
  const needed = (audioSeconds + afterSeconds) * framesPerSecond;
  return Math.min(fullContextFrames, Math.ceil(needed / stepFrames) * stepFrames);
}
