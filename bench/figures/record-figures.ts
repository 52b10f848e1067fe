import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figure.ts';
import { addRun, type FigureFile, type FigureRun, formatFigureFile, parseFigureFile } from './figure-file.ts';

export const figuresFolder = fileURLToPath(new URL('../../figures', import.meta.url));

export type Recording = {
  folder: string;
  /** The name of the file, with the architecture: `accuracy`. */
  bench: string;
  run: Omit<FigureRun, 'rows'>;
  /** What gives these figures again. */
  command: string;
  /** Options that change what is measured, where they are not the usual ones. */
  options?: string;
};

/** Writes the figures into the file of their bench and architecture; rows of other checks and options stay. */
export function recordFigures(figures: readonly Figure[], recording: Recording): string {
  const { folder, bench, run, command, options } = recording;
  const { architecture } = run.processor;
  const path = join(folder, `${bench}-${architecture}.json`);
  const earlier: FigureFile = existsSync(path)
    ? parseFigureFile(path, readFileSync(path, 'utf8'))
    : { bench, architecture, runs: [] };
  const rows = figures.map((figure) => ({ ...figure, ...(options && { options }), command }));
  const text = formatFigureFile(addRun(earlier, { ...run, rows }));
  parseFigureFile(path, text);
  mkdirSync(folder, { recursive: true });
  // Whoever is stopped meanwhile leaves the earlier file.
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}
