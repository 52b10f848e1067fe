import { pcmSampleRate } from '../../audio/pcm.ts';
import { voiceFrameSamples } from '../windows/voice/voice-activity.ts';
import {
  enoughEvidence,
  enterProbability,
  paddingBefore,
  splitSamples,
  stayProbability,
} from '../windows/voice/voice-thresholds.ts';

/** Something said in one go, in samples of the stream. */
export type Utterance = {
  id: number;
  /** Where its window begins: a little before the voice does, or where the one before it was cut. */
  start: number;
  /** Where somebody speaks, from first to last voiced frame. Empty after a cut, until the speaker goes on. */
  stretches: { start: number; end: number }[];
  /** The last voiced frame, which may lie before a cut. */
  speechEnd: number;
};

/** After this much silence a single loud frame is no speech. */
const pauseSamples = 0.1 * pcmSampleRate;
const returnEvidence = 1;

type Onset = { start: number; end: number; evidence: number };

/** Follows the voice frame by frame: when an utterance has begun, where in it somebody speaks, how long it has been silent. */
export class UtteranceTracker {
  #samples = 0;
  #onset: Onset | undefined;
  #utterance: Utterance | undefined;
  #earliest = 0;
  #utterances = 0;

  /** Takes the probability of the next frame; true when an utterance begins with it. */
  push(probability: number): boolean {
    const begun = this.#utterance ? this.#goOn(probability) : this.#findOnset(probability);
    this.#samples += voiceFrameSamples;
    return begun;
  }

  get utterance(): Utterance | undefined {
    return this.#utterance;
  }

  /** Samples whose voice probability is known. */
  get analysedSamples(): number {
    return this.#samples;
  }

  get silentSamples(): number {
    return this.#utterance ? this.#samples - this.#utterance.speechEnd : 0;
  }

  /** Audio before this sample is not needed any more. */
  get neededFrom(): number {
    const onset = this.#onset?.start ?? this.#samples;
    return this.#utterance?.start ?? Math.max(this.#earliest, onset - paddingBefore);
  }

  /** The utterance is over. */
  end(): Utterance {
    const utterance = this.#utterance!;
    this.#earliest = Math.min(this.#samples, utterance.speechEnd + splitSamples);
    this.#utterance = undefined;
    this.#onset = undefined;
    return utterance;
  }

  /** Cuts off what was said before `at`; the utterance goes on behind it. */
  cut(at: number): Utterance {
    const whole = this.#utterance!;
    const before = whole.stretches.filter(({ start }) => start < at);
    const behind = whole.stretches.filter(({ end }) => end > at);
    this.#utterance = {
      id: this.#utterances++,
      start: at,
      stretches: behind.map(({ start, end }) => ({ start: Math.max(start, at), end })),
      speechEnd: whole.speechEnd,
    };
    const taken = before.map(({ start, end }) => ({ start, end: Math.min(end, at) }));
    return { ...whole, stretches: taken, speechEnd: Math.min(whole.speechEnd, at) };
  }

  #findOnset(probability: number): boolean {
    const end = this.#samples + voiceFrameSamples;
    if (!this.#onset) {
      if (probability < enterProbability) return false;
      this.#onset = { start: this.#samples, end, evidence: 0 };
    }
    const onset = this.#onset;
    if (probability >= stayProbability) {
      onset.end = end;
      onset.evidence += probability;
    } else if (end - onset.end >= splitSamples) {
      this.#onset = undefined;
    }
    if (onset.evidence < enoughEvidence) return false;
    this.#onset = undefined;
    this.#utterance = {
      id: this.#utterances++,
      start: Math.max(this.#earliest, onset.start - paddingBefore),
      stretches: [{ start: onset.start, end: onset.end }],
      speechEnd: onset.end,
    };
    return true;
  }

  #goOn(probability: number): boolean {
    const utterance = this.#utterance!;
    const frame = { start: this.#samples, end: this.#samples + voiceFrameSamples };
    if (frame.start - utterance.speechEnd <= pauseSamples) {
      this.#onset = undefined;
      if (probability >= stayProbability) this.#extend(utterance, frame);
      return false;
    }
    if (probability < stayProbability) {
      this.#onset = undefined;
      return false;
    }
    this.#onset ??= { ...frame, evidence: 0 };
    this.#onset.evidence += probability;
    if (this.#onset.evidence < returnEvidence) return false;
    this.#extend(utterance, { start: this.#onset.start, end: frame.end });
    this.#onset = undefined;
    return false;
  }

  #extend(utterance: Utterance, voiced: { start: number; end: number }): void {
    const last = utterance.stretches.at(-1);
    if (last && voiced.start - last.end < splitSamples) last.end = voiced.end;
    else utterance.stretches.push(voiced);
    utterance.speechEnd = voiced.end;
  }
}
