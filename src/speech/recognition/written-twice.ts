import type { SpokenStretch } from '../windows/speech-window.ts';
import type { RecognisedSegment, RecognisedWindow, RecognisedWord } from '../windows/window-messages.ts';

/** Two tries at the same sounds differ in so many of their units at most: homophones, a word more or less. */
const differingShare = 0.34;
/** A clause that somebody says twice takes about as long both times. Words that were never said a first time are crowded into no time. */
const leastShareOfTime = 0.5;

/**
 * A stretch that was recognised again, without the segments whose words were already written beside it. Such words lie in the stretch,
 * and the decoder wrote a time before or after it. Words without times are never taken for written twice.
 */
export function withoutWrittenTwice(
  again: RecognisedWindow,
  written: readonly RecognisedSegment[],
  stretch: SpokenStretch,
): RecognisedWindow {
  const words = written.flatMap((segment) => segment.words);
  const middle = (stretch.startSeconds + stretch.endSeconds) / 2;
  const before = unitsOf(words.filter(({ startSeconds }) => startSeconds < middle));
  const after = unitsOf(words.filter(({ startSeconds }) => startSeconds >= middle));
  const isWrittenTwice = (segment: RecognisedSegment) => {
    const units = unitsOf(segment.words);
    return [before.slice(-units.length), after.slice(0, units.length)].some((beside) =>
      isSameSound(units, beside),
    );
  };
  return { ...again, segments: again.segments.filter((segment) => !isWrittenTwice(segment)) };
}

/** A Han character, or a word of another script, with its share of the time. */
type Unit = { key: string; seconds: number };

function unitsOf(words: readonly RecognisedWord[]): Unit[] {
  return words.flatMap(({ text, startSeconds, endSeconds }) => {
    const keys =
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu) ?? [];
    return keys.map((key) => ({ key, seconds: (endSeconds - startSeconds) / keys.length }));
  });
}

function isSameSound(again: readonly Unit[], beside: readonly Unit[]): boolean {
  if (again.length === 0 || beside.length < again.length) return false;
  const differing = distance(again, beside);
  return (
    differing <= differingShare * again.length && secondsOf(beside) < leastShareOfTime * secondsOf(again)
  );
}

function secondsOf(units: readonly Unit[]): number {
  return units.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** How many units must be changed, added or left out (Levenshtein). */
function distance(one: readonly Unit[], other: readonly Unit[]): number {
  let row = [0, ...other.map((_, index) => index + 1)];
  for (const [index, { key }] of one.entries()) {
    const next = [index + 1];
    for (const [column, each] of other.entries())
      next.push(Math.min(row[column]! + (key === each.key ? 0 : 1), row[column + 1]! + 1, next[column]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
