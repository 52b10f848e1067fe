import type { Pcm } from '../../audio/pcm.ts';
import type { WindowCut } from './window-plan.ts';

/** What is recognised at once: speech of a recording, in order, with long silences shortened. */
export type SpeechWindow = {
  index: number;
  audio: Pcm;
  pieces: WindowPiece[];
  /** Where in the window somebody speaks, from first to last voiced frame. */
  speech: SpokenStretch[];
  /** What ended the window. */
  cut: WindowCut;
  /** The voice detector's probabilities over the speech. Music and noise that passed for speech have seldom high ones. */
  peakProbability: number;
  meanProbability: number;
};

/** A stretch of the recording and where it lies in the window. */
export type WindowPiece = { windowStartSeconds: number; startSeconds: number; durationSeconds: number };

/** In seconds from the start of the window. */
export type SpokenStretch = { startSeconds: number; endSeconds: number };

/** The time in the recording of a time in the window; it never goes backward, and is exact on every sample. */
export function toRecordingTime(window: SpeechWindow, windowSeconds: number): number {
  const piece = window.pieces.findLast(({ windowStartSeconds }) => windowStartSeconds <= windowSeconds);
  const { windowStartSeconds, startSeconds, durationSeconds } = piece ?? window.pieces[0]!;
  return startSeconds + Math.min(Math.max(windowSeconds - windowStartSeconds, 0), durationSeconds);
}

/** The time in the window of a time in the recording. */
export function toWindowTime(pieces: readonly WindowPiece[], recordingSeconds: number): number {
  const piece = pieces.findLast(({ startSeconds }) => startSeconds <= recordingSeconds) ?? pieces[0]!;
  const { windowStartSeconds, startSeconds, durationSeconds } = piece;
  return windowStartSeconds + Math.min(Math.max(recordingSeconds - startSeconds, 0), durationSeconds);
}
