import { framesPerSecond } from '../../../model/whisper-shape.ts';
import type { SpokenLanguage } from '../../transcript/languages.ts';
import type { RecognisedSegment } from '../../windows/window-messages.ts';
import type { Vocabulary } from '../decoding/vocabulary.ts';
import { type ContextFrames, framesBefore } from '../features/context-frames.ts';
import type { Alignment, WhisperDecoder } from '../network/whisper-decoder.ts';
import { warp } from './dynamic-time-warping.ts';
import { splitWords } from './word-split.ts';

/** Frames over which single spikes of attention are smoothed away. */
const medianWidth = 7;

type AlignOptions = {
  decoder: WhisperDecoder;
  row: number;
  vocabulary: Vocabulary;
  language: SpokenLanguage;
  segments: RecognisedSegment[];
  audioSeconds: number;
  context: ContextFrames;
};

/**
 * Gives each segment its words with times, from where the decoder's attention lay when it wrote them (openai/whisper, timing.py). They
 * may lie outside of their segment, where attention and the decoder's timestamps do not agree.
 */
export async function alignWords({
  decoder,
  row,
  vocabulary,
  language,
  segments,
  audioSeconds,
  context,
}: AlignOptions): Promise<void> {
  const { startOfTranscript, transcribe, noTimestamps, endOfText, languages } = vocabulary;
  const opening = [startOfTranscript, languages[language], transcribe, noTimestamps];
  const text = segments.flatMap((segment) => segment.tokens);
  const alignment = await decoder.align(row, [...opening, ...text, endOfText]);
  const frames = Math.max(1, framesBefore(context, audioSeconds * framesPerSecond));
  const starts = tokenStarts(alignment, opening.length - 1, text.length + 1, frames);
  const startOf = (token: number) => Math.min(context[starts[token]!]! / framesPerSecond, audioSeconds);

  let token = 0;
  for (const segment of segments) {
    let inSegment = 0;
    for (const word of splitWords(vocabulary, segment.tokens)) {
      const startSeconds = startOf(token);
      token += word.tokens.length;
      const logProbabilities = segment.logProbabilities.slice(inSegment, inSegment + word.tokens.length);
      inSegment += word.tokens.length;
      const endSeconds = startOf(token);
      if (word.text.trim() === '') continue;
      segment.words.push({
        text: word.text,
        startSeconds,
        endSeconds,
        probability: Math.exp(mean(logProbabilities)),
      });
    }
  }
}

/** The frame at which each of `count` tokens begins; the last one is the end of the text. */
function tokenStarts(alignment: Alignment, firstToken: number, count: number, frames: number): number[] {
  const cost = averageAttention(alignment, firstToken, count, frames);
  for (let i = 0; i < cost.length; i++) cost[i] = -cost[i]!;
  const path = warp(cost, count, frames);
  const starts: number[] = [];
  for (const [step, token] of path.rows.entries())
    if (token !== path.rows[step - 1]) starts[token] = path.columns[step]!;
  return starts;
}

/** Each head's attention, made comparable across tokens and smoothed over time, then averaged over the heads. */
function averageAttention(
  { heads, tokens, frames: stride, weights }: Alignment,
  firstToken: number,
  count: number,
  frames: number,
) {
  const average = new Float32Array(count * frames);
  const head = new Float32Array(count * frames);
  for (let h = 0; h < heads; h++) {
    for (let frame = 0; frame < frames; frame++) {
      let sum = 0;
      let squares = 0;
      for (let token = 0; token < count; token++) {
        const weight = weights[(h * tokens + firstToken + token) * stride + frame]!;
        sum += weight;
        squares += weight * weight;
      }
      const mean = sum / count;
      const deviation = Math.sqrt(Math.max(squares / count - mean * mean, 1e-20));
      for (let token = 0; token < count; token++) {
        head[token * frames + frame] =
          (weights[(h * tokens + firstToken + token) * stride + frame]! - mean) / deviation;
      }
    }
    for (let token = 0; token < count; token++)
      addMedians(head.subarray(token * frames, (token + 1) * frames), average, token * frames, heads);
  }
  return average;
}

function addMedians(values: Float32Array, to: Float32Array, offset: number, divisor: number): void {
  const half = medianWidth >> 1;
  const around = new Float32Array(medianWidth);
  for (let i = 0; i < values.length; i++) {
    for (let j = -half; j <= half; j++) {
      const at = Math.abs(i + j); // reflected at both ends
      around[j + half] = values[at < values.length ? at : Math.max(0, 2 * values.length - 2 - at)]!;
    }
    around.sort();
    to[offset + i]! += around[half]! / divisor;
  }
}

/** Words stay inside their segment and in order: attention may wander into the silence around it. */
export function keepWithin(segment: RecognisedSegment): void {
  let earliest = segment.startSeconds;
  for (const word of segment.words) {
    word.startSeconds = Math.min(Math.max(word.startSeconds, earliest), segment.endSeconds);
    word.endSeconds = Math.min(Math.max(word.endSeconds, word.startSeconds), segment.endSeconds);
    earliest = word.endSeconds;
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
