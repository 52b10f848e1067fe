import type { SpokenStretch } from './speech-window.ts';
import type { RecognisedWindow } from './window-messages.ts';

/** The same stretch, later or earlier; no time lies before the start. */
export function shiftTimes<T extends SpokenStretch>(timed: T, seconds: number): T {
  const startSeconds = Math.max(0, timed.startSeconds + seconds);
  return { ...timed, startSeconds, endSeconds: Math.max(startSeconds, timed.endSeconds + seconds) };
}

export function shiftRecognised(recognised: RecognisedWindow, seconds: number): RecognisedWindow {
  const segments = recognised.segments.map((segment) => ({
    ...shiftTimes(segment, seconds),
    words: segment.words.map((word) => shiftTimes(word, seconds)),
  }));
  return { ...recognised, segments };
}
