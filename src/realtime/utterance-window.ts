import { joinSamples } from '../audio/audio-block.ts';
import { pcmSampleRate } from '../audio/pcm.ts';
import { voiceFrameSamples } from '../speech/voice-activity.ts';
import type { SpeechWindow, WindowPiece } from '../speech/windows.ts';
import type { StreamAudio } from './stream-audio.ts';
import type { Utterance } from './utterance-tracker.ts';

/** Of a longer silence inside an utterance only the ends are kept, as for files. */
const wholeGap = 1 * pcmSampleRate;
const keptAfter = 0.4 * pcmSampleRate;
const keptBefore = 0.4 * pcmSampleRate;

type Stretch = { start: number; end: number };

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
  const voiced = utterance.stretches.filter((stretch) => stretch.start < end);
  const speech = voiced.map((stretch) => ({
    startSeconds: toWindow(placed, stretch.start / pcmSampleRate),
    endSeconds: toWindow(placed, Math.min(stretch.end, end) / pcmSampleRate),
  }));
  return {
    index: utterance.id,
    audio: joinSamples(parts),
    pieces: placed,
    speech,
    cut: 'silence',
    ...judge(audio, voiced, end),
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

function toWindow(pieces: WindowPiece[], seconds: number): number {
  const piece = pieces.findLast(({ startSeconds }) => startSeconds <= seconds) ?? pieces[0]!;
  return (
    piece.windowStartSeconds + Math.min(Math.max(0, seconds - piece.startSeconds), piece.durationSeconds)
  );
}

function judge(audio: StreamAudio, stretches: Stretch[], until: number) {
  let samples = 0;
  let frames = 0;
  let sum = 0;
  let peakProbability = 0;
  for (const stretch of stretches) {
    const end = Math.min(stretch.end, until);
    samples += end - stretch.start;
    for (
      let frame = Math.floor(stretch.start / voiceFrameSamples);
      frame * voiceFrameSamples < end;
      frame++
    ) {
      const probability = audio.probability(frame);
      frames++;
      sum += probability;
      peakProbability = Math.max(peakProbability, probability);
    }
  }
  return {
    speechSeconds: samples / pcmSampleRate,
    peakProbability,
    meanProbability: frames > 0 ? sum / frames : 0,
  };
}
