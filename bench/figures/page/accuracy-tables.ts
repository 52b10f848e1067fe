import { architecturesOf, type Measured, unique } from './measured.ts';
import { table } from './tables.ts';

const withoutAdapter = 'SIANN_ADAPTER=none';
const parts = { selection: 'choosing', reporting: 'reporting' };

/** The weights that are compared: ours as shipped, the published ones, and other programs with the published ones. */
export function weightsOf({ series, options }: Measured): string | undefined {
  if (options === undefined) return series;
  return options === withoutAdapter ? 'published weights' : undefined;
}

/** Model small, a line for each set: every column is one set of weights on one architecture. */
export function setTable(rows: readonly Measured[]): string[] {
  const usual = rows.filter((row) => weightsOf(row) !== undefined);
  const columns = unique(usual.map(weightsOf)).flatMap((weights) =>
    architecturesOf(usual.filter((row) => weightsOf(row) === weights)).map((architecture) => ({
      weights,
      architecture,
    })),
  );
  const sets = unique(usual.map(setOf)).sort();
  const lines = sets.map((set) => {
    const ofSet = usual.filter((row) => setOf(row) === set);
    const cells = columns.map(({ weights, architecture }) =>
      pairOf(ofSet.filter((row) => weightsOf(row) === weights && row.architecture === architecture)),
    );
    const shipped = ofSet.filter((row) => weightsOf(row) === 'Siann');
    return [set, ...cells, barsOf(shipped), languageOf(shipped), partOf(ofSet)];
  });
  const titles = columns.map(({ weights, architecture }) => `${weights}, ${architecture}`);
  return table(['set', ...titles, 'bar', 'language found', 'used for'], lines);
}

/** Everything measured with other options, a line for each combination of them; the columns as above. */
export function variantTable(rows: readonly Measured[]): string[] {
  const others = rows.filter((row) => weightsOf(row) === undefined);
  const columns = unique(others.map(columnOf)).sort();
  const lines = unique(others.map(optionsBesideWeights)).map((options) => [
    `\`${options}\``,
    ...columns.map((column) => {
      const own = others.filter((row) => optionsBesideWeights(row) === options && columnOf(row) === column);
      return unique(own.map(setOf))
        .map((set) => `${set} ${pairOf(own.filter((row) => setOf(row) === set))}`)
        .join(', ');
    }),
  ]);
  return lines.length === 0 ? [] : table(['with', ...columns], lines);
}

/** Whose weights on which architecture. */
export function columnOf({ options, series, architecture }: Measured): string {
  return `${options?.startsWith(withoutAdapter) ? 'published weights' : series}, ${architecture}`;
}

function optionsBesideWeights({ options = '' }: Measured): string {
  return options.replace(withoutAdapter, '').trim();
}

/** Its id is measure/set/engine. Counts over all sets are measure/engine. */
export function isOfSet({ id }: Measured): boolean {
  return id.split('/').length === 3;
}

export function setOf({ id }: Measured): string {
  return id.split('/')[1]!;
}

export function measureOf({ id }: Measured): string {
  return id.split('/')[0]!;
}

/** Errors with numbers as they are written, and with numbers folded where that differs. */
function pairOf(rows: readonly Measured[]): string {
  const [error, folded] = ['error', 'folded'].map((name) => rows.find((row) => measureOf(row) === name));
  if (!error) return '';
  const { interval } = error;
  const spread = interval ? ` [${interval[0]}–${interval[1]}]` : '';
  const text = `${error.value}${folded && folded.value !== error.value ? ` / ${folded.value}` : ''}${spread}`;
  return [error, folded].some((row) => row?.met === false) ? `**missed: ${text}**` : text;
}

function barsOf(rows: readonly Measured[]): string {
  const barred = rows.filter(({ bar }) => bar !== undefined);
  return unique(barred.map((row) => (measureOf(row) === 'folded' ? `folded ${row.bar}` : row.bar!))).join(
    ', ',
  );
}

function languageOf(rows: readonly Measured[]): string {
  const found = rows.filter((row) => measureOf(row) === 'language');
  return found.map(({ value }) => `${value} %`).join(', ');
}

function partOf(rows: readonly Measured[]): string {
  return unique(rows.flatMap(({ part }) => (part ? [parts[part]] : []))).join(', ');
}
