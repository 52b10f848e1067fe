import { pcmSampleRate } from '../../audio/pcm.ts';
import { voiceFrameSamples } from './voice-activity.ts';

/** A stretch of speech, in samples of the recording. */
export type SpeechSpan = {
  /** With the silence around it in which soft beginnings and endings hide; neighbours may touch, never overlap. */
  start: number;
  end: number;
  /** From the first to the last voiced frame. */
  speechStart: number;
  speechEnd: number;
  peakProbability: number;
  meanProbability: number;
};

const enterProbability = 0.5;
const leaveProbability = 0.35;
const splitFrames = Math.ceil((0.3 * pcmSampleRate) / voiceFrameSamples);
const paddingBefore = 0.2 * pcmSampleRate;
const paddingAfter = 0.3 * pcmSampleRate;
/**
 * The sum of a span's probabilities that makes it speech: a quarter of a second of doubtful frames, or a shorter word
 * heard clearly. Struck and bowed tones excite the network for two or three frames at their onset and stay below it.
 */
const enoughEvidence = 2.75;

type Candidate = { speechStart: number; speechEnd: number; frames: number; evidence: number; peak: number };

/** Turns voice probabilities, as they come, into spans, each given out as soon as both its ends are certain. */
export class SpeechSpanTracker {
  #heard = 0;
  #candidate: Candidate | undefined;
  /** The speech is over; how much silence belongs to it depends on what follows. */
  #finished: SpeechSpan | undefined;
  #openStart: number | undefined;
  #previousEnd = 0;

  push(probabilities: Float32Array): SpeechSpan[] {
    const spans: SpeechSpan[] = [];
    for (const probability of probabilities) {
      this.#hear(probability);
      this.#heard += voiceFrameSamples;
      this.#settle(spans);
    }
    return spans;
  }

  end(totalSamples: number): SpeechSpan[] {
    const spans: SpeechSpan[] = [];
    this.#close();
    this.#release(Number.POSITIVE_INFINITY, spans);
    for (const span of spans) {
      span.end = Math.min(span.end, totalSamples);
      span.speechEnd = Math.min(span.speechEnd, totalSamples);
    }
    return spans;
  }

  /** The speech that goes on now, once it is certain to be speech. */
  get open(): { start: number; speechStart: number } | undefined {
    if (this.#openStart === undefined || !this.#candidate) return undefined;
    return { start: this.#openStart, speechStart: this.#candidate.speechStart };
  }

  /** What lies before this sample, and in no span given out so far, is not speech. */
  get settledSamples(): number {
    const next = this.#candidate?.speechStart ?? this.#heard;
    return this.#finished?.start ?? this.#openStart ?? Math.max(this.#previousEnd, next - paddingBefore);
  }

  #hear(probability: number): void {
    const frameEnd = this.#heard + voiceFrameSamples;
    if (!this.#candidate) {
      if (probability < enterProbability) return;
      this.#candidate = { speechStart: this.#heard, speechEnd: frameEnd, frames: 0, evidence: 0, peak: 0 };
    }
    const candidate = this.#candidate;
    if (probability >= leaveProbability) {
      candidate.speechEnd = frameEnd;
      candidate.frames++;
      candidate.evidence += probability;
      candidate.peak = Math.max(candidate.peak, probability);
    } else if (frameEnd - candidate.speechEnd >= splitFrames * voiceFrameSamples) {
      this.#close();
    }
  }

  #settle(spans: SpeechSpan[]): void {
    const candidate = this.#candidate;
    if (candidate && candidate.evidence >= enoughEvidence && this.#openStart === undefined) {
      this.#release(candidate.speechStart, spans);
      this.#openStart = Math.max(this.#previousEnd, candidate.speechStart - paddingBefore);
    } else if (!candidate || this.#openStart === undefined) {
      const next = candidate?.speechStart ?? this.#heard;
      if (this.#finished && next - this.#finished.speechEnd >= paddingBefore + paddingAfter) {
        this.#release(next, spans);
      }
    }
  }

  #close(): void {
    const candidate = this.#candidate;
    this.#candidate = undefined;
    if (candidate && this.#openStart !== undefined) {
      const { speechStart, speechEnd, frames, evidence, peak } = candidate;
      this.#finished = {
        start: this.#openStart,
        end: speechEnd,
        speechStart,
        speechEnd,
        peakProbability: peak,
        meanProbability: evidence / frames,
      };
    }
    this.#openStart = undefined;
  }

  /** Gives out the finished span; a short silence before the next speech is shared in proportion. */
  #release(nextSpeech: number, spans: SpeechSpan[]): void {
    const span = this.#finished;
    if (!span) return;
    const share = ((nextSpeech - span.speechEnd) * paddingAfter) / (paddingBefore + paddingAfter);
    span.end = span.speechEnd + Math.min(paddingAfter, Math.floor(share));
    this.#previousEnd = span.end;
    this.#finished = undefined;
    spans.push(span);
  }
}
