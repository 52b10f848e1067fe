import { type Pcm, pcmSampleRate } from '../../audio/pcm.ts';
import type { SpeechWindow } from '../windows/speech-window.ts';
import type { VoiceActivityStream } from '../windows/voice-activity.ts';
import { findPause } from '../windows/window-pause.ts';
import { createStreamAudio } from './stream-audio.ts';
import { type Utterance, UtteranceTracker } from './utterance-tracker.ts';
import { utteranceWindow, windowSamples } from './utterance-window.ts';

export type UtteranceListener = {
  /** Listens to the next audio, and tells what it shows. */
  push(samples: Pcm): Promise<void>;
  /** What has been said so far is over, if anything has. */
  finalize(): void;
  /** The utterance under way. */
  readonly utterance: Utterance | undefined;
  /** It as far as it has been heard. */
  windowSoFar(): SpeechWindow;
  readonly heardSamples: number;
  readonly silentSamples: number;
  readonly totalSamples: number;
};

type Options = {
  voice: VoiceActivityStream;
  /** Silence that ends an utterance, and silence after which it may well be over. */
  endpointSamples: number;
  hopefulSamples: number;
  onStarted(atSeconds: number): void;
  onOver(over: UtteranceOver): void;
};

/** Nothing is added to it any more. */
export type UtteranceOver = {
  utterance: Utterance;
  window: SpeechWindow;
  /** The speaker paused, or the client asked; otherwise it was cut because it grew long. */
  speechFinal: boolean;
  fromFinalize: boolean;
};

const paddingAfter = 0.3 * pcmSampleRate;
/** A long utterance is cut at the next short pause, and a longer one wherever it is quietest. */
const longUtterance = 12 * pcmSampleRate;
const longPause = 0.3 * pcmSampleRate;
const longestUtterance = 18 * pcmSampleRate;
const pauseSearch = 5 * pcmSampleRate;

/** Hears where utterances begin and end, and cuts long ones: every voiced moment is in exactly one. */
export function createUtteranceListener(options: Options): UtteranceListener {
  const { voice, endpointSamples, hopefulSamples, onStarted, onOver } = options;
  const audio = createStreamAudio();
  const tracker = new UtteranceTracker();

  return {
    async push(samples) {
      audio.append(samples);
      const probabilities = await voice.push(samples);
      audio.addProbabilities(probabilities);
      for (const probability of probabilities) hear(probability);
      audio.forgetBefore(tracker.neededFrom);
    },
    finalize() {
      const { utterance } = tracker;
      if (!utterance) return;
      const asked = { speechFinal: true, fromFinalize: true };
      if (tracker.silentSamples >= hopefulSamples) end(asked);
      else cut(audio.totalSamples, asked);
    },
    get utterance() {
      return tracker.utterance;
    },
    windowSoFar: () => utteranceWindow(audio, tracker.utterance!, tracker.heardSamples),
    get heardSamples() {
      return tracker.heardSamples;
    },
    get silentSamples() {
      return tracker.silentSamples;
    },
    get totalSamples() {
      return audio.totalSamples;
    },
  };

  function hear(probability: number): void {
    if (tracker.hear(probability)) onStarted(tracker.utterance!.stretches[0]!.start / pcmSampleRate);
    const { utterance, silentSamples, heardSamples } = tracker;
    if (!utterance) return;
    if (silentSamples >= endpointSamples) {
      end({ speechFinal: true, fromFinalize: false });
      return;
    }
    const grown = { speechFinal: false, fromFinalize: false };
    const length = windowSamples(utterance, heardSamples);
    if (length > longestUtterance) cut(quietestPlace(utterance.start), grown);
    else if (length > longUtterance && silentSamples >= Math.max(longPause, hopefulSamples)) {
      if (utterance.stretches.length > 0) cut(heardSamples, grown);
    }
  }

  function quietestPlace(earliest: number): number {
    const from = Math.max(earliest, tracker.heardSamples - pauseSearch);
    return findPause(audio.read(from, tracker.heardSamples), from, (frame) => audio.probability(frame));
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
