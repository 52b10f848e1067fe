import type { SpokenStretch } from '../../windows/speech-window.ts';
import { longestTail } from '../../windows/uncovered.ts';
import type { RecognisedSegment } from '../../windows/window-messages.ts';

/** Nobody says fewer tokens in a second for long. */
const slowestTokens = 2;
const leastSpoken = 4;

/** Whether a segment lasts longer than its text takes to say. Whisper at times stops early and does not say when. */
export function isSparse(segment: RecognisedSegment, speech: readonly SpokenStretch[]): boolean {
  const spoken = spokenSeconds(segment, speech);
  return spoken >= leastSpoken && segment.tokens.length < slowestTokens * spoken;
}

/** Ends such a segment with its last word, so that what is said after it counts as left out: needs word times. */
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
