import { toUnits } from './scoring.ts';

/** A clause is at least this long; shorter repetitions are how people speak (看看, "no, no"). */
const leastUnits = 4;
const mostUnits = 60;
/** What is recognised twice is seldom written the same twice: so many units of a clause may differ, be missing or be too many. */
const differingShare = 0.25;

/** How many clauses a text says twice in a row more often than what was said does. */
export function doubledClauses(reference: string, hypothesis: string): number {
  return Math.max(0, repetitions(toUnits(hypothesis)) - repetitions(toUnits(reference)));
}

/** How often a clause is followed by itself. Of those that overlap, the longest counts. */
function repetitions(units: readonly string[]): number {
  let count = 0;
  for (let from = 0; from + 2 * leastUnits <= units.length; ) {
    const end = endOfRepetition(units, from);
    if (end !== undefined) count++;
    from = end ?? from + 1;
  }
  return count;
}

/** Where the second copy of a clause that begins here ends. */
function endOfRepetition(units: readonly string[], from: number): number | undefined {
  const longest = Math.min(mostUnits, Math.floor((units.length - from) / 2) + 1);
  for (let length = longest; length >= leastUnits; length--) {
    const clause = units.slice(from, from + length);
    for (const other of [length, length + 1, length - 1]) {
      const end = from + length + other;
      if (other < leastUnits || end > units.length) continue;
      if (isAlike(clause, units.slice(from + length, end))) return end;
    }
  }
  return undefined;
}

/** Both begin with the same unit, and differ little in all. */
function isAlike(one: readonly string[], other: readonly string[]): boolean {
  const most = Math.floor(differingShare * Math.min(one.length, other.length));
  return one[0] === other[0] && distance(one, other) <= most;
}

function distance(one: readonly string[], other: readonly string[]): number {
  let row = [0, ...other.map((_, index) => index + 1)];
  for (const [index, unit] of one.entries()) {
    const next = [index + 1];
    for (const [column, each] of other.entries())
      next.push(Math.min(row[column]! + (unit === each ? 0 : 1), row[column + 1]! + 1, next[column]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
