import { joinSamples } from '../../audio/audio-block.ts';
import { pcmSampleRate } from '../../audio/pcm.ts';
import { type SpeechWindow, toWindowTime, type WindowPiece } from '../windows/speech-window.ts';
import { voiceCertainty } from '../windows/voice-certainty.ts';
import type { Stretch } from '../windows/window-plan.ts';
import type { StreamAudio } from './stream-audio.ts';
import type { Utterance } from './utterance-tracker.ts';

/** Of a longer silence inside an utterance only the ends are kept, as for files. */
const wholeGap = 1 * pcmSampleRate;
const keptAfter = 0.4 * pcmSampleRate;
const keptBefore = 0.4 * pcmSampleRate;

/** An utterance as far as it has been heard, ready to be recognised; `end` is a sample of the stream. */
export function utteranceWindow(audio: StreamAudio, utterance: Utterance, end: number): SpeechWindow {
  const pieces = piecesOf(utterance, end);
  const parts = pieces.map((piece) => audio.read(piece.start, piece.end));
  const placed: WindowPiece[] = [];
  let offset = 0;
  for (const [index, { start }] of pieces.entries()) {
    const length = parts[index]!.length;
    placed.push({
      windowStartSeconds: offset / pcmSampleRate,
      startSeconds: start / pcmSampleRate,
      durationSeconds: length / pcmSampleRate,
    });
    offset += length;
  }
  const voiced = utterance.stretches
    .filter((stretch) => stretch.start < end)
    .map((stretch) => ({ start: stretch.start, end: Math.min(stretch.end, end) }));
  const speech = voiced.map((stretch) => ({
    startSeconds: toWindowTime(placed, stretch.start / pcmSampleRate),
    endSeconds: toWindowTime(placed, stretch.end / pcmSampleRate),
  }));
  return {
    index: utterance.id,
    audio: joinSamples(parts),
    pieces: placed,
    speech,
    cut: 'silence',
    ...voiceCertainty(voiced, (frame) => audio.probability(frame)),
  };
}

export function windowSamples(utterance: Utterance, end: number): number {
  return piecesOf(utterance, end).reduce((sum, piece) => sum + piece.end - piece.start, 0);
}

function piecesOf({ start, stretches }: Utterance, end: number): Stretch[] {
  const pieces: Stretch[] = [{ start, end }];
  let previous: Stretch | undefined;
  for (const stretch of stretches) {
    const silentFrom = previous?.end ?? start;
    if (stretch.start - silentFrom > wholeGap) {
      const last = pieces.at(-1)!;
      last.end = silentFrom + (previous ? keptAfter : 0);
      if (last.end === last.start) pieces.pop();
      pieces.push({ start: stretch.start - keptBefore, end });
    }
    previous = stretch;
  }
  return pieces;
}
