import { buildWindow } from '../windows/build-window.ts';
import type { SpeechWindow } from '../windows/speech-window.ts';
import { paddingAfter, paddingBefore } from '../windows/voice/voice-thresholds.ts';
import { keptAfter, keptBefore, type Stretch, wholeGap } from '../windows/window-plan.ts';
import type { StreamAudio } from './stream-audio.ts';
import type { Utterance } from './utterance-tracker.ts';

/** Long silences are shortened as in files. There they are measured between padded spans, here between voiced frames. */
const wholeSilence = wholeGap + paddingAfter + paddingBefore;
const silenceKeptAfter = keptAfter + paddingAfter;
const silenceKeptBefore = keptBefore + paddingBefore;

/** An utterance up to the sample `end` of the stream, ready to be recognised. */
export function utteranceWindow(audio: StreamAudio, utterance: Utterance, end: number): SpeechWindow {
  const speech = utterance.stretches
    .filter((stretch) => stretch.start < end)
    .map((stretch) => ({ start: stretch.start, end: Math.min(stretch.end, end) }));
  return buildWindow(audio, { pieces: piecesOf(utterance, end), speech, cut: 'silence' }, utterance.id);
}

export function windowSamples(utterance: Utterance, end: number): number {
  return piecesOf(utterance, end).reduce((sum, piece) => sum + piece.end - piece.start, 0);
}

function piecesOf({ start, stretches }: Utterance, end: number): Stretch[] {
  const pieces: Stretch[] = [{ start, end }];
  let previous: Stretch | undefined;
  for (const stretch of stretches) {
    const silentFrom = previous?.end ?? start;
    if (stretch.start - silentFrom > wholeSilence) {
      const last = pieces.at(-1)!;
      last.end = silentFrom + (previous ? silenceKeptAfter : 0);
      if (last.end === last.start) pieces.pop();
      pieces.push({ start: stretch.start - silenceKeptBefore, end });
    }
    previous = stretch;
  }
  return pieces;
}
