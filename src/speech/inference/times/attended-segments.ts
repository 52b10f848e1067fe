import type { SpokenStretch } from '../../windows/speech-window.ts';
import { uncoveredStretches } from '../../windows/uncovered.ts';
import type { RecognisedSegment, RecognisedWord } from '../../windows/window-messages.ts';
import { snapToSpeech } from './snap-to-speech.ts';

/** Nobody takes longer for a word. Where attention stays on one for longer, the rest is speech that no word was written for. */
const longestWord = 0.6;
/** A single word may have been dragged there. */
const fewestWords = 2;
/** In a second. A word is a Han character or two, or a word of another script. */
const slowestWords = 1.5;
/**
 * Where much speech has no words, attention may go astray: words then take no time and crowd at the end. With 38 sentences cut short
 * by a third and by more than half that happened to four of 76 texts, all of them with three words of seven or more crowded.
 */
const shortestWord = 0.03;
const mostCrowded = 0.25;

/** Whether by its timestamps the text leaves speech out. Where it does, its words must be asked. */
export function seemsToLeaveOut(
  segments: readonly RecognisedSegment[],
  speech: readonly SpokenStretch[],
  audioSeconds: number,
): boolean {
  const snapped = segments.map((segment) => ({ ...segment, words: [] }));
  snapToSpeech(snapped, speech);
  return uncoveredStretches({ segments: snapped }, audioSeconds).length > 0;
}

/**
 * Makes segments as long as their words: the decoder at times writes a timestamp that is seconds too early or too late, while its
 * attention was where the words are said. Otherwise these would be taken for left out, and written twice. Words must lie in the
 * stretch as close as they are spoken: attention may drag a last word over speech for which none was written. The words must have times.
 */
export function reachOverWords(segments: readonly RecognisedSegment[]): void {
  for (const [index, segment] of segments.entries()) {
    const earliest = segments[index - 1]?.endSeconds ?? 0;
    const latest = segments[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const { startSeconds, endSeconds, words } = segment;
    const behind = words.filter((word) => word.startSeconds >= endSeconds);
    const last = behind.at(-1);
    if (last && areSpoken(behind, last.startSeconds - endSeconds))
      segment.endSeconds = Math.max(
        endSeconds,
        Math.min(last.endSeconds, last.startSeconds + longestWord, latest),
      );
    const ahead = words.filter((word) => word.endSeconds <= startSeconds);
    const first = ahead[0];
    if (first && areSpoken(ahead, startSeconds - first.endSeconds))
      segment.startSeconds = Math.min(
        startSeconds,
        Math.max(first.startSeconds, first.endSeconds - longestWord, earliest),
      );
  }
}

/** Whether there are words enough for the time, and time enough for the words. */
function areSpoken(words: readonly RecognisedWord[], seconds: number): boolean {
  const crowded = words.filter((word) => word.endSeconds - word.startSeconds < shortestWord);
  return (
    words.length >= fewestWords &&
    words.length >= slowestWords * seconds &&
    crowded.length <= mostCrowded * words.length
  );
}
