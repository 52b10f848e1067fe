import { formatTable } from './table.ts';

/** One measured figure with the bar that it has to clear. */
export type Figure = { title: string; value: string; bar: string; passes: boolean };

/** Under `--verbose`, what lies behind a figure. */
export type Explain = (line: string) => void;

export function createExplain(verbose: boolean): Explain {
  return (line) => {
    if (verbose) console.log(line);
  };
}

/** Takes each check in its turn and prints all figures against their bars; one that falls short makes the command fail. */
export async function printFigures<Check extends string>(
  checks: readonly Check[],
  measure: (check: Check) => Promise<Figure[]>,
): Promise<void> {
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
  if (figures.some(({ passes }) => !passes)) process.exitCode = 1;
}
