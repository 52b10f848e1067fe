import { compressionRatio, repetitionStart, worstCompressionRatio } from '../../text/repetition.ts';
import type { TokenRules } from './token-rules.ts';
import { decodeText, type Vocabulary } from './vocabulary.ts';

/** One try at a window's text. */
export type Attempt = {
  temperature: number;
  /** Text and timestamps, without the end. */
  tokens: number[];
  logProbabilities: number[];
  averageLogProbability: number;
  compressionRatio: number;
  /** The text repeated itself without end, and was cut where the first repetition begins. */
  looped: boolean;
};

/** What to do with a window after a token. */
export type DecodingAnswer = { next: number } | { restart: true } | { done: Attempt };

/** Whisper's thresholds for trying again (openai/whisper, transcribe.py). */
const temperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];
const worstLogProbability = -1;
const noSpeechThreshold = 0.6;
const mostTokens = 224;

export type WindowDecodingOptions = {
  vocabulary: Vocabulary;
  rules: TokenRules;
  audioSeconds: number;
  noSpeechProbability: number;
  /** Of the random numbers with which tokens are drawn, so that the same window always gives the same text. */
  seed: number;
  firstTemperature?: number;
  /** Whether a try that went wrong may be made again. */
  mayRetry?: boolean;
};

/** Chooses a window's tokens one by one, and asks for another try at a higher temperature when one went wrong. Knows nothing of graphs. */
export class WindowDecoding {
  readonly #options: WindowDecodingOptions;
  readonly #temperatures: number[];
  readonly #random: () => number;
  #attempts: Attempt[] = [];
  #tokens: number[] = [];
  #logProbabilities: number[] = [];
  #sum = 0;

  constructor(options: WindowDecodingOptions) {
    this.#options = options;
    const first = options.firstTemperature ?? 0;
    const { mayRetry = true } = options;
    this.#temperatures = [first, ...(mayRetry ? temperatures.filter((each) => each > first) : [])];
    this.#random = seededRandom(options.seed);
  }

  /** Takes the log-probabilities of the next token and answers what to do with the window. */
  accept(logProbabilities: Float32Array): DecodingAnswer {
    const { vocabulary, rules, audioSeconds } = this.#options;
    const temperature = this.#temperatures[this.#attempts.length]!;
    const { token, logProbability } = rules.choose(logProbabilities, this.#tokens, {
      audioSeconds,
      temperature,
      random: this.#random,
    });
    this.#sum += logProbability;
    if (token !== vocabulary.endOfText) {
      this.#tokens.push(token);
      this.#logProbabilities.push(logProbability);
      const loop = token < vocabulary.endOfText ? this.#loopStart() : undefined;
      if (loop !== undefined) return this.#finish(loop);
      if (this.#tokens.length < mostTokens) return { next: token };
    }
    return this.#finish();
  }

  /** A loop lies between two timestamps: a sentence that somebody really repeats has a timestamp before each repetition. */
  #loopStart(): number | undefined {
    const { firstTimestamp } = this.#options.vocabulary;
    const start = this.#tokens.findLastIndex((token) => token >= firstTimestamp) + 1;
    const loop = repetitionStart(this.#tokens.slice(start));
    return loop === undefined ? undefined : start + loop;
  }

  #finish(loopAt?: number): { restart: true } | { done: Attempt } {
    const { vocabulary } = this.#options;
    const tokens = this.#tokens.slice(0, loopAt);
    const attempt: Attempt = {
      temperature: this.#temperatures[this.#attempts.length]!,
      tokens,
      logProbabilities: this.#logProbabilities.slice(0, loopAt),
      averageLogProbability: this.#sum / (this.#tokens.length + 1),
      compressionRatio: compressionRatio(decodeText(vocabulary, tokens)),
      looped: loopAt !== undefined,
    };
    this.#attempts.push(attempt);
    this.#tokens = [];
    this.#logProbabilities = [];
    this.#sum = 0;
    if (this.#isGood(attempt)) return { done: attempt };
    if (this.#attempts.length < this.#temperatures.length) return { restart: true };
    return { done: this.#best() };
  }

  #isGood(attempt: Attempt): boolean {
    if (
      this.#options.noSpeechProbability > noSpeechThreshold &&
      attempt.averageLogProbability < worstLogProbability
    )
      return true;
    return (
      !attempt.looped &&
      attempt.compressionRatio <= worstCompressionRatio &&
      attempt.averageLogProbability >= worstLogProbability
    );
  }

  /** When no try was good, the likeliest is taken: it is the one least invented. */
  #best(): Attempt {
    return this.#attempts.reduce((best, each) =>
      each.averageLogProbability > best.averageLogProbability ? each : best,
    );
  }
}

/** Mulberry32: small, even enough for drawing tokens, and the same everywhere. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
