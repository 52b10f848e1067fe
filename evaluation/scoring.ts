import { Converter } from 'opencc-js';
import { foldNumbers } from './number-folding.ts';

export type Score = { units: number; substitutions: number; deletions: number; insertions: number };

export type ScoringOptions = {
  /** Digits and number words count as the same, and so do a few abbreviations that are read as words. */
  numbersFolded?: boolean;
};

/** Compares a transcript with what was said: Han characters and words of other scripts are the units. */
export function score(reference: string, hypothesis: string, options: ScoringOptions = {}): Score {
  return alignUnits(toUnits(reference, options), toUnits(hypothesis, options));
}

export function addScores(scores: Iterable<Score>): Score {
  const total = { units: 0, substitutions: 0, deletions: 0, insertions: 0 };
  for (const each of scores) {
    total.units += each.units;
    total.substitutions += each.substitutions;
    total.deletions += each.deletions;
    total.insertions += each.insertions;
  }
  return total;
}

/** Errors per unit of the reference; more than 1 is possible. */
export function errorRate({ units, substitutions, deletions, insertions }: Score): number {
  const errors = substitutions + deletions + insertions;
  return units === 0 ? Math.min(errors, 1) : errors / units;
}

// The converter for Taiwan's Traditional also brings 著 and 着 together, which plain t2s keeps apart.
const toSimplified = Converter({ from: 'tw', to: 'cn' });

export function toUnits(text: string, { numbersFolded = false }: ScoringOptions = {}): string[] {
  const folded = toSimplified(
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/['’‘ʼ]/g, ''),
  );
  if (numbersFolded) return foldNumbers(folded);
  return folded.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu) ?? [];
}

/** The cheapest alignment (Levenshtein); where several cost the same, substitutions are preferred. */
export function alignUnits(reference: string[], hypothesis: string[]): Score {
  type Cell = { errors: number; substitutions: number; deletions: number; insertions: number };
  const nothing: Cell = { errors: 0, substitutions: 0, deletions: 0, insertions: 0 };
  let row: Cell[] = [nothing];
  for (const _ of hypothesis) row.push(step(row.at(-1)!, 'insertions'));
  for (const expected of reference) {
    const next: Cell[] = [step(row[0]!, 'deletions')];
    hypothesis.forEach((written, column) => {
      const diagonal = row[column]!;
      const candidates = [
        written === expected ? diagonal : step(diagonal, 'substitutions'),
        step(row[column + 1]!, 'deletions'),
        step(next[column]!, 'insertions'),
      ];
      next.push(candidates.reduce((best, cell) => (cell.errors < best.errors ? cell : best)));
    });
    row = next;
  }
  const { errors: _, ...counts } = row.at(-1)!;
  return { units: reference.length, ...counts };

  function step(cell: Cell, kind: 'substitutions' | 'deletions' | 'insertions'): Cell {
    return { ...cell, errors: cell.errors + 1, [kind]: cell[kind] + 1 };
  }
}
