import { formatTable } from './table.ts';

/** One measured figure with the bar that it has to clear. */
export type Figure = { title: string; value: string; bar: string; passes: boolean };

/** Under `--verbose`, what lies behind a figure. */
export type Explain = (line: string) => void;

/** Takes each check in its turn and prints all figures against their bars. */
export async function printFigures<Check extends string>(
  checks: readonly Check[],
  measure: (check: Check) => Promise<Figure[]>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const check of checks) {
    console.error(`measuring ${check} …`);
    figures.push(...(await measure(check)));
  }
  const rows = figures.map(({ title, value, bar, passes }) => [
    title,
    value,
    bar,
    passes ? 'pass' : 'FALLS SHORT',
  ]);
  console.log(formatTable(['', 'figure', 'bar', ''], rows));
  return figures;
}
