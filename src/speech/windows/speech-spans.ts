import { voiceFrameSamples } from './voice/voice-activity.ts';
import {
  enoughEvidence,
  enterProbability,
  paddingAfter,
  paddingBefore,
  splitSamples,
  stayProbability,
} from './voice/voice-thresholds.ts';

/** A stretch of speech, in samples of the recording. */
export type SpeechSpan = {
  /** With the silence that is kept around it. Neighbours may touch, never overlap. */
  start: number;
  end: number;
  /** From the first to the last voiced frame. */
  speechStart: number;
  speechEnd: number;
  peakProbability: number;
  meanProbability: number;
};

type Candidate = { speechStart: number; speechEnd: number; frames: number; evidence: number; peak: number };

/** Finds spans in voice probabilities as they come. A span is given out as soon as both its ends are certain. */
export class SpeechSpanTracker {
  /** Samples whose probability is known. */
  #samples = 0;
  #candidate: Candidate | undefined;
  /** The speech is over; how much silence belongs to it depends on what follows. */
  #finished: SpeechSpan | undefined;
  #openStart: number | undefined;
  #previousEnd = 0;

  push(probabilities: Float32Array): SpeechSpan[] {
    const spans: SpeechSpan[] = [];
    for (const probability of probabilities) {
      this.#take(probability);
      this.#samples += voiceFrameSamples;
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

  /** Everything before this sample is decided: it is in a span that was given out, or it is not speech. */
  get settledSamples(): number {
    const next = this.#candidate?.speechStart ?? this.#samples;
    return this.#finished?.start ?? this.#openStart ?? Math.max(this.#previousEnd, next - paddingBefore);
  }

  #take(probability: number): void {
    const frameEnd = this.#samples + voiceFrameSamples;
    if (!this.#candidate) {
      if (probability < enterProbability) return;
      this.#candidate = { speechStart: this.#samples, speechEnd: frameEnd, frames: 0, evidence: 0, peak: 0 };
    }
    const candidate = this.#candidate;
    if (probability >= stayProbability) {
      candidate.speechEnd = frameEnd;
      candidate.frames++;
      candidate.evidence += probability;
      candidate.peak = Math.max(candidate.peak, probability);
    } else if (frameEnd - candidate.speechEnd >= splitSamples) {
      this.#close();
    }
  }

  #settle(spans: SpeechSpan[]): void {
    const candidate = this.#candidate;
    if (candidate && candidate.evidence >= enoughEvidence && this.#openStart === undefined) {
      this.#release(candidate.speechStart, spans);
      this.#openStart = Math.max(this.#previousEnd, candidate.speechStart - paddingBefore);
    } else if (!candidate || this.#openStart === undefined) {
      const next = candidate?.speechStart ?? this.#samples;
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
