import { type Figure, valueText } from './figures/figure.ts';
import { recordFigures } from './figures/record-figures.ts';
import { describeThisRun } from './figures/this-run.ts';
import { type Command, commandLine, definingOptions } from './options.ts';
import { formatTable } from './table.ts';

/** Takes one check after another, prints its figures beside their bars and records them; a bar that is missed makes the command fail. */
export async function runChecks<Check extends string>(
  command: Command,
  checks: readonly Check[],
  measure: (check: Check) => Promise<Figure[]>,
): Promise<void> {
  const figures: Figure[] = [];
  const record = createRecord(command);
  for (const check of checks) {
    console.error(`measuring ${check} …`);
    const measured = await measure(check);
    record(measured, check);
    figures.push(...measured);
  }
  console.log(figureTable(figures));
  if (figures.some(({ met }) => met === false)) process.exitCode = 1;
}

/** For commands with tables of their own: the figures that miss their bars, which make the command fail. */
export function printMissed(figures: readonly Figure[]): void {
  const missed = figures.filter(({ met }) => met === false);
  if (missed.length === 0) return;
  console.log(`\n${figureTable(missed)}`);
  process.exitCode = 1;
}

/** Writes figures where the command was told to; what is being measured is looked up before the measuring begins. */
export function createRecord(command: Command): (figures: readonly Figure[], check?: string) => void {
  const { script, figuresFolder: folder } = command;
  if (folder === undefined) return () => {};
  const run = describeThisRun();
  const bench = script.replace('bench:', '');
  return (figures, check = bench) => {
    const options = definingOptions(command, check);
    const line = commandLine(command, check);
    const path = recordFigures(figures, { folder, bench, run, command: line, ...(options && { options }) });
    console.error(`written to ${path}`);
  };
}

function figureTable(figures: readonly Figure[]): string {
  const verdict = ({ met }: Figure) => (met === undefined ? '' : met ? 'met' : 'MISSED');
  const rows = figures.map((figure) => [
    figure.series ? `${figure.what}: ${figure.series}` : figure.what,
    valueText(figure),
    figure.bar ?? '',
    verdict(figure),
  ]);
  return formatTable(['', 'figure', 'bar', ''], rows);
}
