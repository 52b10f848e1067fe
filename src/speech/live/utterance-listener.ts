import { type Pcm, pcmSampleRate } from '../../audio/pcm.ts';
import type { SpeechWindow } from '../windows/speech-window.ts';
import type { VoiceActivityStream } from '../windows/voice/voice-activity.ts';
import { paddingAfter } from '../windows/voice/voice-thresholds.ts';
import { findPause } from '../windows/window-pause.ts';
import { createStreamAudio } from './stream-audio.ts';
import { type Utterance, UtteranceTracker } from './utterance-tracker.ts';
import { utteranceWindow, windowSamples } from './utterance-window.ts';

export type UtteranceListener = {
  /** Analyses the next audio, and calls `onStarted` and `onOver` for what it shows. */
  push(samples: Pcm): Promise<void>;
  /** Ends the utterance under way, if there is one. */
  finalize(): void;
  /** The utterance under way. */
  readonly utterance: Utterance | undefined;
  /** The window of the utterance under way, up to the audio that has been analysed. */
  windowSoFar(): SpeechWindow;
  readonly analysedSamples: number;
  readonly silentSamples: number;
  readonly totalSamples: number;
};

type Options = {
  voice: VoiceActivityStream;
  /** Silence that ends an utterance, and silence after which it is probably over. */
  endpointSamples: number;
  speculativeSamples: number;
  onStarted(atSeconds: number): void;
  onOver(over: UtteranceOver): void;
};

/** An utterance to which nothing is added any more. */
export type UtteranceOver = {
  utterance: Utterance;
  window: SpeechWindow;
  /** The speaker paused, or the client asked for the end; otherwise the utterance was cut because it grew long. */
  speechFinal: boolean;
  fromFinalize: boolean;
};

/** A long utterance is cut at the next short pause, and a longer one wherever it is quietest. */
const longUtterance = 12 * pcmSampleRate;
const longPause = 0.3 * pcmSampleRate;
const longestUtterance = 18 * pcmSampleRate;
const pauseSearch = 5 * pcmSampleRate;

/** Finds where utterances begin and end, and cuts long ones: every voiced moment is in exactly one utterance. */
export function createUtteranceListener(options: Options): UtteranceListener {
  const { voice, endpointSamples, speculativeSamples, onStarted, onOver } = options;
  const audio = createStreamAudio();
  const tracker = new UtteranceTracker();

  return {
    async push(samples) {
      audio.append(samples);
      const probabilities = await voice.push(samples);
      audio.addProbabilities(probabilities);
      for (const probability of probabilities) advance(probability);
      audio.forgetBefore(tracker.neededFrom);
    },
    finalize() {
      const { utterance } = tracker;
      if (!utterance) return;
      const asked = { speechFinal: true, fromFinalize: true };
      if (tracker.silentSamples >= speculativeSamples) end(asked);
      else cut(audio.totalSamples, asked);
    },
    get utterance() {
      return tracker.utterance;
    },
    windowSoFar: () => utteranceWindow(audio, tracker.utterance!, tracker.analysedSamples),
    get analysedSamples() {
      return tracker.analysedSamples;
    },
    get silentSamples() {
      return tracker.silentSamples;
    },
    get totalSamples() {
      return audio.totalSamples;
    },
  };

  function advance(probability: number): void {
    if (tracker.push(probability)) onStarted(tracker.utterance!.stretches[0]!.start / pcmSampleRate);
    const { utterance, silentSamples, analysedSamples } = tracker;
    if (!utterance) return;
    if (silentSamples >= endpointSamples) {
      end({ speechFinal: true, fromFinalize: false });
      return;
    }
    const grown = { speechFinal: false, fromFinalize: false };
    const length = windowSamples(utterance, analysedSamples);
    if (length > longestUtterance) cut(quietestSample(utterance.start), grown);
    else if (length > longUtterance && silentSamples >= Math.max(longPause, speculativeSamples)) {
      if (utterance.stretches.length > 0) cut(analysedSamples, grown);
    }
  }

  function quietestSample(earliest: number): number {
    const from = Math.max(earliest, tracker.analysedSamples - pauseSearch);
    return findPause(audio.read(from, tracker.analysedSamples), from, (frame) => audio.probability(frame));
  }

  function end(how: Pick<UtteranceOver, 'speechFinal' | 'fromFinalize'>): void {
    const utterance = tracker.end();
    const at = Math.min(audio.totalSamples, Math.max(utterance.start, utterance.speechEnd + paddingAfter));
    onOver({ utterance, window: utteranceWindow(audio, utterance, at), ...how });
  }

  function cut(at: number, how: Pick<UtteranceOver, 'speechFinal' | 'fromFinalize'>): void {
    const utterance = tracker.cut(at);
    onOver({ utterance, window: utteranceWindow(audio, utterance, at), ...how });
  }
}
