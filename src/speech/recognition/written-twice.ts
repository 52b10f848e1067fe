import type { SpokenStretch } from '../windows/speech-window.ts';
import type { RecognisedSegment, RecognisedWindow, RecognisedWord } from '../windows/window-messages.ts';

/** Two tries at the same sounds differ in so many of their units at most: homophones, a word more or less. */
const differingShare = 0.34;
/** A clause that somebody says twice takes about as long both times. Words that were never said a first time are crowded into no time. */
const leastShareOfTime = 0.5;
/** The second try may have a word or two less than the first. */
const slack = 2;

/**
 * A stretch that was recognised again, without the segments whose words were already written beside it. Such words lie in the stretch,
 * and the decoder wrote a time before or after it. Words without times are never taken for written twice.
 */
export function withoutWrittenTwice(
  again: readonly RecognisedWindow[],
  written: readonly RecognisedSegment[],
  stretch: SpokenStretch,
): RecognisedWindow[] {
  const words = written.flatMap((segment) => segment.words);
  const middle = (stretch.startSeconds + stretch.endSeconds) / 2;
  const before = unitsOf(words.filter(({ startSeconds }) => startSeconds < middle));
  const after = unitsOf(words.filter(({ startSeconds }) => startSeconds >= middle));
  const reach = again
    .flatMap(({ segments }) => segments)
    .reduce((sum, segment) => sum + unitsOf(segment.words).length, 0);
  // The stretch may have been recognised in several pieces, each of which repeats some of the words beside it.
  const beside = [before.slice(-reach - slack), after.slice(0, reach + slack)];
  const isWrittenTwice = (segment: RecognisedSegment) =>
    beside.some((units) => holdsSameSound(units, unitsOf(segment.words)));
  return again.map((part) => ({
    ...part,
    segments: part.segments.filter((segment) => !isWrittenTwice(segment)),
  }));
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

function holdsSameSound(beside: readonly Unit[], again: readonly Unit[]): boolean {
  if (again.length === 0) return false;
  const places = Math.max(0, beside.length - again.length + 1);
  return Array.from({ length: places }, (_, at) => beside.slice(at, at + again.length)).some((units) =>
    isSameSound(again, units),
  );
}

function isSameSound(again: readonly Unit[], beside: readonly Unit[]): boolean {
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
