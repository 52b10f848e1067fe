import { type Pcm, pcmSampleRate } from '../../audio/pcm.ts';
import { type SpeechSpan, SpeechSpanTracker } from './speech-spans.ts';
import { type SpeechWindow, toWindowTime, type WindowPiece } from './speech-window.ts';
import { type VoiceActivity, voiceFrameSamples } from './voice-activity.ts';
import { voiceCertainty } from './voice-certainty.ts';
import { isMadeOfTones } from './voice-tones.ts';
import { WindowCoverage } from './window-coverage.ts';
import { findPause } from './window-pause.ts';
import { keptBefore, type PlannedWindow, WindowPlan } from './window-plan.ts';
import { inBlocks, WindowRecording } from './window-recording.ts';

export type PackOptions = {
  signal?: AbortSignal;
  maxWindowSeconds?: number;
  onAudio?: (totalSeconds: number) => void;
};

/** A second less than Whisper hears at once. */
const defaultMaxWindowSeconds = 29;
/** Tones have not been seen to reach it, and of a thousand spans of speech four stay below: only those are looked at. */
const certainProbability = 0.98;

/** Finds the speech in a recording of any length and yields it in windows; holds about two windows of audio at most. */
export async function* packWindows(
  audio: AsyncIterable<Pcm>,
  voice: VoiceActivity,
  { signal, maxWindowSeconds = defaultMaxWindowSeconds, onAudio }: PackOptions = {},
): AsyncGenerator<SpeechWindow> {
  const maxSamples = Math.round(maxWindowSeconds * pcmSampleRate);
  const stream = voice.open();
  const recording = new WindowRecording();
  const spans = new SpeechSpanTracker();
  const plan = new WindowPlan({ maxSamples, findPause: (from, to) => findPauseIn(recording, from, to) });
  const coverage = new WindowCoverage(recording, maxSamples);
  let windows = 0;

  for await (const block of inBlocks(audio)) {
    signal?.throwIfAborted();
    let probabilities = await stream.push(block);
    if (block.length % voiceFrameSamples > 0) probabilities = joinFloats(probabilities, await stream.end());
    recording.append(block, probabilities);
    spans.push(probabilities).forEach(add);
    for (let window = plan.full(underWay()); window; window = plan.full(underWay())) yield finish(window);
    const undecided = Math.max(spans.settledSamples - keptBefore, plan.takenSamples);
    recording.keep((start, end) => end > undecided || plan.wants(start, end));
    onAudio?.(recording.totalSamples / pcmSampleRate);
  }
  spans.end(recording.totalSamples).forEach(add);
  for (const window of plan.rest()) yield finish(window);
  coverage.end();

  function add(span: SpeechSpan): void {
    const doubtful = span.peakProbability < certainProbability && span.start >= plan.takenSamples;
    if (doubtful && isMadeOfTones(recording.read(span.start, span.end))) return;
    plan.add(span);
    coverage.addSpeech(span);
  }

  function underWay() {
    const heard = recording.totalSamples;
    return spans.open && { ...spans.open, end: heard, speechEnd: heard };
  }

  function finish(planned: PlannedWindow): SpeechWindow {
    const window = cutOut(recording, planned, windows++);
    coverage.addWindow(window);
    return window;
  }
}

function cutOut(recording: WindowRecording, planned: PlannedWindow, index: number): SpeechWindow {
  const audio = new Float32Array(planned.pieces.reduce((sum, { start, end }) => sum + end - start, 0));
  const pieces: WindowPiece[] = [];
  let offset = 0;
  for (const { start, end } of planned.pieces) {
    recording.copy(start, end, audio, offset);
    pieces.push({
      windowStartSeconds: offset / pcmSampleRate,
      startSeconds: start / pcmSampleRate,
      durationSeconds: (end - start) / pcmSampleRate,
    });
    offset += end - start;
  }
  const speech = planned.speech.map(({ start, end }) => ({
    startSeconds: toWindowTime(pieces, start / pcmSampleRate),
    endSeconds: toWindowTime(pieces, end / pcmSampleRate),
  }));
  const certainty = voiceCertainty(planned.speech, (frame) => recording.probability(frame));
  return { index, audio, pieces, speech, cut: planned.cut, ...certainty };
}

function findPauseIn(recording: WindowRecording, from: number, to: number): number {
  return findPause(recording.read(from, to), from, (frame) => recording.probability(frame));
}

function joinFloats(first: Float32Array, second: Float32Array): Float32Array {
  const joined = new Float32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
