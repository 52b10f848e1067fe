import { type Pcm, pcmSampleRate } from '../../audio/pcm.ts';
import { buildWindow } from './build-window.ts';
import { type SpeechSpan, SpeechSpanTracker } from './speech-spans.ts';
import type { SpeechWindow } from './speech-window.ts';
import type { HeardBlock, VoiceActivity } from './voice/voice-activity.ts';
import { certainProbability } from './voice/voice-thresholds.ts';
import { isMadeOfTones } from './voice/voice-tones.ts';
import { WindowCoverage } from './window-coverage.ts';
import { findPause } from './window-pause.ts';
import { keptBefore, type PlannedWindow, WindowPlan } from './window-plan.ts';
import { hear, WindowRecording } from './window-recording.ts';

export type PackOptions = {
  signal?: AbortSignal;
  maxWindowSeconds?: number;
  onAudio?: (totalSeconds: number) => void;
};

/** A second less than Whisper takes at once. */
const defaultMaxWindowSeconds = 29;

export function packWindows(
  audio: AsyncIterable<Pcm>,
  voice: VoiceActivity,
  options?: PackOptions,
): AsyncGenerator<SpeechWindow> {
  return packHeard(hear(audio, voice), options);
}

/** Finds the speech in a recording of any length and yields it in windows; holds about two windows of audio at most. */
export async function* packHeard(
  heard: AsyncIterable<HeardBlock>,
  { signal, maxWindowSeconds = defaultMaxWindowSeconds, onAudio }: PackOptions = {},
): AsyncGenerator<SpeechWindow> {
  const maxSamples = Math.round(maxWindowSeconds * pcmSampleRate);
  const recording = new WindowRecording();
  const spans = new SpeechSpanTracker();
  const plan = new WindowPlan({ maxSamples, findPause: (from, to) => findPauseIn(recording, from, to) });
  const coverage = new WindowCoverage(recording, maxSamples);
  let windows = 0;

  for await (const { samples, probabilities } of heard) {
    signal?.throwIfAborted();
    recording.append(samples, probabilities);
    spans.push(probabilities).forEach(add);
    for (let window = plan.full(openSpan()); window; window = plan.full(openSpan())) yield finish(window);
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

  /** The span that goes on now, up to the end of what has been received. */
  function openSpan() {
    const received = recording.totalSamples;
    return spans.open && { ...spans.open, end: received, speechEnd: received };
  }

  function finish(planned: PlannedWindow): SpeechWindow {
    const window = buildWindow(recording, planned, windows++);
    coverage.addWindow(window);
    return window;
  }
}

function findPauseIn(recording: WindowRecording, from: number, to: number): number {
  return findPause(recording.read(from, to), from, (frame) => recording.probability(frame));
}
