import { fullContextFrames } from '../model/whisper-shape.ts';

const framesPerSecond = 50;
/** Below this, Whisper, which was trained on 30 s, starts to go round in circles; from here on its text is as good as ever. */
const shortestSeconds = 15;
/** Silence after the last word, by which the model knows the end. */
const silenceSeconds = 1;

/** How many frames the encoder is given: half the context costs a third of the time. */
export function contextFrames(audioSeconds: number): number {
  const seconds = Math.max(shortestSeconds, audioSeconds + silenceSeconds);
  return Math.min(fullContextFrames, Math.ceil(seconds * framesPerSecond));
}
