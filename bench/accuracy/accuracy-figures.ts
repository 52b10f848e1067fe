import { errorInterval } from '../../evaluation/confidence-interval.ts';
import { addScores, errorRate, type Score } from '../../evaluation/scoring.ts';
import { type EngineName, engineTitles } from '../engines/engine.ts';
import { atMost, type Figure, none, percentOf } from '../figures/figure.ts';
import { pairOf } from '../switching-sets.ts';
import type { SentenceResult } from './sentence-result.ts';

/** For model small with its adapter, as the product recognises by default. In per cent, with numbers as they are written or folded. */
const bars: Record<string, { error?: number; folded?: number }> = {
  english: { error: 9.7 },
  mandarin: { folded: 10.5 },
  'mandarin-english': { error: 15.7 },
  'mandarin-taiwan': { error: 4.5 },
  taiwanese: { error: 8 },
};
/** A recording that switches languages may have so many times the errors of both languages alone. */
const switchingFactor = 1.3;
/** Blends of the adapter were chosen by these sets (docs/lab). */
const selectionSets = ['english', 'mandarin', 'mandarin-english', 'mandarin-taiwan', 'taiwanese'];
/** They had a part in no choice. */
const reportingSets = ['calls', 'everyday-english', 'everyday-mandarin', 'everyday-taiwanese'];

type FigureOptions = {
  model: string;
  /** Whether the bars apply to what was measured. */
  asShipped: boolean;
  /** A comparison, such as of contexts: it is in the file and not on the page. */
  isAside: boolean;
  /** Whether every set was measured: some counts are of all sets together. */
  isWhole: boolean;
};

/** Error rates of every engine on every set. */
export function accuracyFigures(results: readonly SentenceResult[], options: FigureOptions): Figure[] {
  const figures: Figure[] = [];
  for (const engine of new Set(results.map((result) => result.engine))) {
    const ofEngine = results.filter((result) => result.engine === engine);
    const sets = new Map<string, SentenceResult[]>();
    for (const result of ofEngine) sets.set(result.set, [...(sets.get(result.set) ?? []), result]);
    for (const [set, some] of sets) {
      const bar = options.asShipped && engine === 'siann' ? barOf(set, sets) : {};
      const own = setFigures(engine, set, some, bar, options.model);
      figures.push(...(options.isAside ? own.map((figure) => ({ ...figure, minor: true as const })) : own));
    }
    if (options.isWhole) figures.push(...lostAndDoubled(engine, ofEngine, options));
  }
  return figures;
}

function setFigures(
  engine: EngineName,
  set: string,
  some: readonly SentenceResult[],
  bar: { error?: number; folded?: number },
  model: string,
): Figure[] {
  const common = {
    unit: '%',
    series: engineTitles[engine],
    model,
    ...(selectionSets.includes(set) && { part: 'selection' as const }),
    ...(reportingSets.includes(set) && { part: 'reporting' as const }),
  };
  const rate = (scores: Score[], limit: number | undefined) => {
    const value = errorRate(addScores(scores)) * 100;
    const [low, high] = errorInterval(scores);
    return {
      ...(limit === undefined ? { value: percentOf(value / 100) } : atMost(limit, value, 1)),
      interval: [percentOf(low), percentOf(high)] as [number, number],
    };
  };
  const strict = some.map(({ score }) => score);
  const loose = some.flatMap(({ looseScore }) => looseScore ?? []);
  const told = some.filter(({ languageFound }) => languageFound !== undefined);
  const found = told.filter(({ languageFound }) => languageFound);
  const note = `${some.length} sentences, ${addScores(strict).units} units`;
  return [
    { id: `error/${set}/${engine}`, what: set, ...rate(strict, bar.error), note, ...common },
    {
      id: `folded/${set}/${engine}`,
      what: `${set}, numbers folded`,
      ...rate(
        some.map(({ foldedScore }) => foldedScore),
        bar.folded,
      ),
      ...common,
    },
    ...(loose.length === 0
      ? []
      : [
          {
            id: `loose/${set}/${engine}`,
            what: `${set}, or its translation`,
            ...rate(loose, undefined),
            ...common,
          },
        ]),
    ...(told.length === 0
      ? []
      : [
          {
            id: `language/${set}/${engine}`,
            what: `${set}, language found`,
            value: percentOf(found.length / told.length),
            ...common,
          },
        ]),
  ];
}

/** Of all sets together, since in one set of a hundred sentences it hardly ever happens. */
function lostAndDoubled(
  engine: EngineName,
  results: readonly SentenceResult[],
  { model, asShipped, isAside }: FigureOptions,
): Figure[] {
  const common = {
    series: engineTitles[engine],
    model,
    note: `of ${results.length}`,
    ...(isAside && { minor: true as const }),
  };
  const counted = (count: number) => (asShipped && engine === 'siann' ? none(count) : { value: count });
  const empty = results.filter(({ hypothesis }) => hypothesis.trim() === '').length;
  const doubled = results.filter((result) => result.doubled > 0).length;
  return [
    { id: `empty/${engine}`, what: 'sentences with an empty text', ...counted(empty), ...common },
    { id: `doubled/${engine}`, what: 'sentences with a clause said twice', ...counted(doubled), ...common },
  ];
}

/** That of a set that switches depends on how its two languages fare alone in the same run. */
function barOf(
  set: string,
  sets: ReadonlyMap<string, readonly SentenceResult[]>,
): { error?: number; folded?: number } {
  const alone = pairOf(set)?.map((each) => sets.get(each));
  if (alone === undefined) return bars[set] ?? {};
  if (alone.includes(undefined)) return {};
  const rates = alone.map((some) => errorRate(addScores(some!.map(({ score }) => score))) * 100);
  return { error: percentOf((switchingFactor * (rates[0]! + rates[1]!)) / 2 / 100) };
}
