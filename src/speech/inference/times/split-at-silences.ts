import type { SpokenStretch } from '../../windows/speech-window.ts';
import type { RecognisedSegment } from '../../windows/window-messages.ts';
import { decodeText, type Vocabulary } from '../decoding/vocabulary.ts';
import { splitWords } from './word-split.ts';

/** A silence this long ends a segment, whether or not the model noticed. */
const longSilence = 0.6;
/** A segment reaches over a silence when this much of it lies on either side. */
const overlap = 0.25;

export function longSilences(speech: readonly SpokenStretch[]): SpokenStretch[] {
  return speech.slice(1).flatMap((stretch, index) => {
    const silence = { startSeconds: speech[index]!.endSeconds, endSeconds: stretch.startSeconds };
    return silence.endSeconds - silence.startSeconds >= longSilence ? [silence] : [];
  });
}

export function reachesOver(
  { startSeconds, endSeconds }: RecognisedSegment,
  silence: SpokenStretch,
): boolean {
  return startSeconds < silence.startSeconds - overlap && endSeconds > silence.endSeconds + overlap;
}

/** Cuts segments that reach over a silence between two words. The words must have times. */
export function splitAtSilences(
  vocabulary: Vocabulary,
  segments: RecognisedSegment[],
  silences: readonly SpokenStretch[],
): RecognisedSegment[] {
  return segments.flatMap((segment) => {
    const parts: RecognisedSegment[] = [];
    let rest = segment;
    for (const silence of silences) {
      if (!reachesOver(rest, silence)) continue;
      const middle = (silence.startSeconds + silence.endSeconds) / 2;
      const after = rest.words.findIndex((word) => (word.startSeconds + word.endSeconds) / 2 > middle);
      if (after <= 0) continue;
      const [before, behind] = cut(vocabulary, rest, after, silence);
      parts.push(before);
      rest = behind;
    }
    return [...parts, rest];
  });
}

/** Two segments: the first `count` words, and the others. */
function cut(vocabulary: Vocabulary, segment: RecognisedSegment, count: number, silence: SpokenStretch) {
  const spoken = splitWords(vocabulary, segment.tokens);
  let words = 0;
  let tokens = 0;
  for (const word of spoken) {
    if (word.text.trim() !== '' && words++ === count) break;
    tokens += word.tokens.length;
  }
  const part = (
    from: number,
    to: number | undefined,
    startSeconds: number,
    endSeconds: number,
  ): RecognisedSegment => {
    const ids = segment.tokens.slice(from, to);
    const logProbabilities = segment.logProbabilities.slice(from, to);
    return {
      ...segment,
      startSeconds,
      endSeconds,
      text: decodeText(vocabulary, ids),
      tokens: ids,
      logProbabilities,
    };
  };
  return [
    { ...part(0, tokens, segment.startSeconds, silence.startSeconds), words: segment.words.slice(0, count) },
    { ...part(tokens, undefined, silence.endSeconds, segment.endSeconds), words: segment.words.slice(count) },
  ] as const;
}
