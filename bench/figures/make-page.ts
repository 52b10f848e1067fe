import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFigureFile } from './figure-file.ts';
import { figuresPage } from './page/figures-page.ts';
import { listMeasured } from './page/measured.ts';
import { drawPageCharts } from './page/page-charts.ts';

/** Every file of the page, by its path in the project, from the files of a folder. */
export function makePage(figuresFolder: string): Map<string, string> {
  const names = readdirSync(figuresFolder).filter((name) => name.endsWith('.json'));
  const files = names
    .sort()
    .map((name) => parseFigureFile(name, readFileSync(join(figuresFolder, name), 'utf8')));
  const rows = listMeasured(files);
  const charts = drawPageCharts(rows);
  const pictures = [...charts].map(([name, svg]) => [`docs/images/figures/${name}.svg`, svg] as const);
  return new Map([['docs/figures.md', figuresPage(rows, charts)], ...pictures]);
}
