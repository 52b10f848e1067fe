import type { SpokenStretch } from '../../windows/speech-window.ts';
import { longestTail } from '../../windows/uncovered.ts';
import type { RecognisedSegment } from '../../windows/window-messages.ts';

/** Tokens in a second: nobody speaks more slowly than this for long. */
const slowestTokens = 2;
const leastSpoken = 4;

/** Whether a segment lasts much longer than it takes to say its text. Whisper sometimes stops early without saying where. */
export function isSparse(segment: RecognisedSegment, speech: readonly SpokenStretch[]): boolean {
  const spoken = spokenSeconds(segment, speech);
  return spoken >= leastSpoken && segment.tokens.length < slowestTokens * spoken;
}

/** Ends such a segment with its last word, so that speech behind it counts as left out. The words must have times. */
export function endWithLastWord(segment: RecognisedSegment, speech: readonly SpokenStretch[]): void {
  const last = segment.words.at(-1);
  if (!last || !isSparse(segment, speech)) return;
  const behind = { startSeconds: last.endSeconds, endSeconds: segment.endSeconds };
  if (spokenSeconds(behind, speech) > longestTail) segment.endSeconds = last.endSeconds;
}

function spokenSeconds(
  { startSeconds, endSeconds }: SpokenStretch,
  speech: readonly SpokenStretch[],
): number {
  return speech.reduce((sum, stretch) => {
    const from = Math.max(startSeconds, stretch.startSeconds);
    const to = Math.min(endSeconds, stretch.endSeconds);
    return sum + Math.max(0, to - from);
  }, 0);
}
