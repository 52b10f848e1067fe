import { joinSamples } from '../../audio/audio-block.ts';
import { type Pcm, pcmSampleRate } from '../../audio/pcm.ts';
import { type SpeechWindow, toWindowTime, type WindowPiece } from './speech-window.ts';
import { voiceCertainty } from './voice/voice-certainty.ts';
import type { PlannedWindow, Stretch } from './window-plan.ts';

/** A recording or a stream, as far as it is still kept. */
export type WindowSource = {
  read(start: number, end: number): Pcm;
  /** How likely it is that somebody speaks in a frame. */
  probability(frame: number): number;
};

/** Puts the pieces of a recording together into a window, and says where in it somebody speaks. */
export function buildWindow(
  source: WindowSource,
  { pieces, speech, cut }: PlannedWindow,
  index: number,
): SpeechWindow {
  const parts = pieces.map(({ start, end }) => source.read(start, end));
  const placed = laidOut(pieces, parts);
  return {
    index,
    audio: joinSamples(parts),
    pieces: placed,
    speech: speech.map(({ start, end }) => ({
      startSeconds: toWindowTime(placed, start / pcmSampleRate),
      endSeconds: toWindowTime(placed, end / pcmSampleRate),
    })),
    cut,
    ...voiceCertainty(speech, (frame) => source.probability(frame)),
  };
}

function laidOut(pieces: readonly Stretch[], parts: readonly Pcm[]): WindowPiece[] {
  let offset = 0;
  return pieces.map(({ start }, index) => {
    const { length } = parts[index]!;
    offset += length;
    return {
      windowStartSeconds: (offset - length) / pcmSampleRate,
      startSeconds: start / pcmSampleRate,
      durationSeconds: length / pcmSampleRate,
    };
  });
}
