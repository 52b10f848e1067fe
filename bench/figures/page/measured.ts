import { type FigureFile, type FigureRow, type FigureRun, identityOf } from '../figure-file.ts';

/** A row with where and when it was measured. */
export type Measured = FigureRow & Omit<FigureRun, 'rows'> & { bench: string; architecture: string };

export function listMeasured(files: readonly FigureFile[]): Measured[] {
  return files.flatMap(({ bench, architecture, runs }) =>
    runs.flatMap(({ rows, ...run }) => rows.map((row) => ({ ...row, ...run, bench, architecture }))),
  );
}

/** Rows that measure the same thing, one for each architecture, in the order in which they are first met. */
export function groupByIdentity(rows: readonly Measured[]): Measured[][] {
  const groups = new Map<string, Measured[]>();
  for (const row of rows) {
    const key = `${row.bench} ${identityOf(row)}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** In the order of their names, so that a table keeps its columns. */
export function architecturesOf(rows: readonly Measured[]): string[] {
  return unique(rows.map(({ architecture }) => architecture)).sort();
}

/** When and at which commits some rows were measured. */
export function runsOf(rows: readonly Measured[]): string {
  return architecturesOf(rows)
    .map((architecture) => {
      const byDate = new Map<string, string[]>();
      for (const { date, commit } of rows.filter((row) => row.architecture === architecture))
        byDate.set(date, unique([...(byDate.get(date) ?? []), `\`${commit}\``]));
      const runs = [...byDate].sort().map(([date, commits]) => `${date} at ${commits.join(', ')}`);
      return `${architecture} ${runs.join('; ')}`;
    })
    .join('; ');
}

/** What stands behind the name of each architecture, a line each. */
export function processorLines(rows: readonly Measured[]): string[] {
  return architecturesOf(rows).map((architecture) => {
    const machines = unique(
      rows
        .filter((row) => row.architecture === architecture)
        .map(({ processor, node }) => `${processor.model}, ${processor.cores} cores, Node.js ${node}`),
    );
    return `- **${architecture}**: ${machines.join('; ')}`;
  });
}
