import type { RecognisedSegment } from '../../windows/window-messages.ts';
import { decodeText, timestampSeconds, type Vocabulary } from '../decoding/vocabulary.ts';
import type { Attempt } from '../decoding/window-decoding.ts';

/** Cuts a try's tokens at its timestamps: `<|0.20|> text <|2.40|><|2.60|> text <|5.00|>`. */
export function timedSegments(
  vocabulary: Vocabulary,
  attempt: Attempt,
  audioSeconds: number,
): RecognisedSegment[] {
  const segments: RecognisedSegment[] = [];
  let startSeconds = 0;
  let tokens: number[] = [];
  let logProbabilities: number[] = [];

  const close = (endSeconds: number) => {
    const text = decodeText(vocabulary, tokens);
    if (text.trim() !== '') {
      segments.push({ startSeconds, endSeconds, text, tokens, logProbabilities, words: [] });
    }
    tokens = [];
    logProbabilities = [];
  };

  for (const [index, token] of attempt.tokens.entries()) {
    if (token < vocabulary.firstTimestamp) {
      tokens.push(token);
      logProbabilities.push(attempt.logProbabilities[index]!);
      continue;
    }
    const seconds = Math.min((token - vocabulary.firstTimestamp) * timestampSeconds, audioSeconds);
    close(seconds);
    startSeconds = seconds;
  }
  close(audioSeconds);
  return segments;
}
