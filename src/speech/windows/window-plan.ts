import { pcmSampleRate } from '../../audio/pcm.ts';

/** A span of speech. Where the speech still goes on, its end is the end of what has been received. */
export type PlannedSpan = { start: number; end: number; speechStart: number; speechEnd: number };

/** A stretch of the recording, in samples. */
export type Stretch = { start: number; end: number };

export type WindowCut = 'silence' | 'inside-speech' | 'end';

export type PlannedWindow = { pieces: Stretch[]; speech: Stretch[]; cut: WindowCut };

/** Picks the best sample between two at which to cut running speech. */
export type FindPause = (from: number, to: number) => number;

export type WindowPlanOptions = { maxSamples: number; findPause: FindPause };

/** A silence between two padded spans is kept whole up to this length. Of a longer one only its ends are kept, 0.8 s with the padding. */
export const wholeGap = 0.5 * pcmSampleRate;
export const keptAfter = 0.1 * pcmSampleRate;
export const keptBefore = 0.2 * pcmSampleRate;
/** Running speech is cut only when this much behind the window's end is known, so that a pause near that end is noticed. */
const lookahead = 0.5 * pcmSampleRate;
const longestSearch = 6 * pcmSampleRate;

/**
 * Fills windows with as many spans as they can hold. A full window costs little more than one with little speech, so a window never
 * ends early, not even at a long silence: of that it holds only the ends.
 */
export class WindowPlan {
  readonly #options: WindowPlanOptions;
  #spans: PlannedSpan[] = [];
  #takenSamples = 0;

  constructor(options: WindowPlanOptions) {
    this.#options = options;
  }

  add(span: PlannedSpan): void {
    const rest = this.#untaken(span);
    if (rest) this.#spans.push(rest);
  }

  /** A window that is full, if the spans known so far and the one under way fill one. */
  full(open?: PlannedSpan): PlannedWindow | undefined {
    const rest = open && this.#untaken(open);
    const spans = rest ? [...this.#spans, rest] : this.#spans;
    const layout = lay(spans, this.#options.maxSamples);
    const next = spans[layout.fitting];
    if (!next) return undefined;
    if (next === rest && layout.length < this.#options.maxSamples + lookahead) return undefined;
    return this.#cut(spans, layout);
  }

  /** What is left when the recording is over. */
  *rest(): Generator<PlannedWindow> {
    for (let window = this.full(); window; window = this.full()) yield window;
    if (this.#spans.length > 0) yield this.#take(this.#spans, this.#spans.length, 'end');
  }

  /** The windows so far reach up to here. */
  get takenSamples(): number {
    return this.#takenSamples;
  }

  /** Whether a known span that waits for its window reaches into this stretch. */
  wants(start: number, end: number): boolean {
    return this.#spans.some((span) => span.start - keptBefore < end && span.end + keptAfter > start);
  }

  #cut(spans: PlannedSpan[], layout: Layout): PlannedWindow {
    const gap = bestGap(spans, layout, this.#options.maxSamples);
    if (gap !== undefined) return this.#take(spans, gap, 'silence');

    const last = spans[layout.fitting]!;
    const limit = last.start + this.#options.maxSamples - layout.starts[layout.fitting]!;
    const search = Math.min(longestSearch, this.#options.maxSamples / 3);
    const at = this.#options.findPause(Math.ceil(limit - search), limit);
    const before = { ...last, end: at, speechEnd: Math.min(last.speechEnd, at) };
    return this.#take([...spans.slice(0, layout.fitting), before], layout.fitting + 1, 'inside-speech');
  }

  #take(spans: PlannedSpan[], count: number, cut: WindowCut): PlannedWindow {
    const taken = spans.slice(0, count);
    const pieces = joined(taken, this.#options.maxSamples);
    this.#takenSamples = pieces.at(-1)!.end;
    this.#spans = this.#spans.flatMap((span) => this.#untaken(span) ?? []);
    const speech = taken.map((span) => ({ start: span.speechStart, end: span.speechEnd }));
    return { pieces, speech: speech.filter(({ start, end }) => end > start), cut };
  }

  /** Silence that is left of a span whose speech has been taken is of no use. */
  #untaken(span: PlannedSpan): PlannedSpan | undefined {
    if (span.start >= this.#takenSamples) return span;
    if (span.speechEnd <= this.#takenSamples) return undefined;
    const speechStart = Math.max(span.speechStart, this.#takenSamples);
    return { ...span, start: this.#takenSamples, speechStart };
  }
}

/** Where the spans lie in a window, how many of them fit into it, and the length with the first that does not. */
type Layout = { starts: number[]; fitting: number; length: number };

function lay(spans: PlannedSpan[], maxSamples: number): Layout {
  const starts: number[] = [];
  let length = 0;
  let previous: PlannedSpan | undefined;
  for (const [index, span] of spans.entries()) {
    const start = length + (previous ? keptGap(previous, span) : 0);
    starts.push(start);
    length = start + span.end - span.start;
    if (start + span.speechEnd - span.start > maxSamples) return { starts, fitting: index, length };
    previous = span;
  }
  return { starts, fitting: spans.length, length };
}

function keptGap(before: PlannedSpan, after: PlannedSpan): number {
  const gap = after.start - before.end;
  return gap > wholeGap ? keptAfter + keptBefore : gap;
}

/**
 * The number of spans before the best silence in the last third of the window. The score of a silence is its position in that third
 * (0 to 1) plus half its length in seconds (up to 0.5): a full window is worth more than a perfect pause.
 */
function bestGap(spans: PlannedSpan[], layout: Layout, maxSamples: number): number | undefined {
  let best: number | undefined;
  let bestScore = -1;
  for (let next = 1; next <= layout.fitting; next++) {
    const fullness = Math.min(layout.starts[next]! / maxSamples, 1) * 3 - 2;
    const seconds = (spans[next]!.speechStart - spans[next - 1]!.speechEnd) / pcmSampleRate;
    const score = fullness + Math.min(seconds, 1) / 2;
    if (fullness >= 0 && score > bestScore) [best, bestScore] = [next, score];
  }
  return best;
}

/** The stretches of the recording that make the window: spans with what is kept of the silence between them. */
function joined(spans: PlannedSpan[], maxSamples: number): Stretch[] {
  const pieces: Stretch[] = [];
  let previous: PlannedSpan | undefined;
  for (const span of spans) {
    const last = pieces.at(-1);
    if (last && previous && span.start - previous.end <= wholeGap) {
      last.end = span.end;
    } else {
      if (last) last.end += keptAfter;
      pieces.push({ start: last ? span.start - keptBefore : span.start, end: span.end });
    }
    previous = span;
  }
  const excess = pieces.reduce((sum, piece) => sum + piece.end - piece.start, 0) - maxSamples;
  if (excess > 0) pieces.at(-1)!.end -= excess;
  return pieces;
}
