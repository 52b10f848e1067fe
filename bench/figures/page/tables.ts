import { valueText } from '../figure.ts';
import { architecturesOf, groupByIdentity, type Measured, unique } from './measured.ts';

/** A Markdown table. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(line)];
}

/** A line for each thing measured, a column for each architecture. */
export function listTable(rows: readonly Measured[], usualModel: string | undefined): string[] {
  if (rows.length === 0) return [];
  const architectures = architecturesOf(rows);
  const lines = joinParts(groupByIdentity(rows)).map(({ head, groups }) => [
    labelOfParts(head, groups, usualModel),
    ...architectures.map((architecture) =>
      joined(groups.map((group) => cellOf(group.find((row) => row.architecture === architecture)))),
    ),
    joined(groups.map((group) => newest(group).bar ?? '')),
  ]);
  return table(['', ...architectures, 'bar'], lines);
}

type JoinedLine = { head: string; groups: Measured[][] };

/** What is named `head: part` stands in one line with the other parts of its head. */
function joinParts(groups: readonly Measured[][]): JoinedLine[] {
  const lines = new Map<string, JoinedLine>();
  for (const group of groups) {
    const { what, options = '', model = '', bench } = newest(group);
    const head = what.split(': ')[0]!;
    const key = [bench, head, options, model].join('|');
    const line = lines.get(key) ?? { head, groups: [] };
    line.groups.push(group);
    lines.set(key, line);
  }
  return [...lines.values()];
}

/** What is measured, with its unit where the cells have none, and with options and model where they are not the usual ones. */
function labelOfParts(
  head: string,
  groups: readonly Measured[][],
  usualModel: string | undefined,
  withUnit = false,
): string {
  const first = newest(groups[0]!);
  const parts = groups.map((group) => newest(group).what.split(': ').slice(1).join(': ')).filter(Boolean);
  const name = parts.length > 0 ? `**${head}**: ${parts.join('; ')}` : `**${head}**`;
  return `${name}${withUnit && first.unit ? `, ${first.unit}` : ''}${conditions(first, usualModel)}`;
}

/** A line for each thing measured, a column for each series on each architecture. */
export function seriesTable(rows: readonly Measured[], usualModel: string | undefined): string[] {
  if (rows.length === 0) return [];
  const ordered = [...rows].sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
  const columns = architecturesOf(rows).flatMap((architecture) => {
    const own = ordered.filter((row) => row.architecture === architecture);
    return unique(own.map(({ series }) => series)).map((series) => ({ architecture, series }));
  });
  const lines = joinParts(groupByWhat(rows)).map(({ head, groups }) => [
    labelOfParts(head, groups, usualModel, true),
    ...columns.map(({ architecture, series }) =>
      joined(
        groups.map((group) =>
          bareCell(group.find((row) => row.architecture === architecture && row.series === series)),
        ),
      ),
    ),
    joined(groups.map(barsOf)),
  ]);
  return table(
    ['', ...columns.map(({ architecture, series }) => `${series}, ${architecture}`), 'bar'],
    lines,
  );
}

/** The same thing in several columns. */
function groupByWhat(rows: readonly Measured[]): Measured[][] {
  const groups = new Map<string, Measured[]>();
  for (const row of rows) {
    const key = [row.what, row.options].join('|');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
}

/** Cells of one line; nothing when all are empty. */
function joined(cells: readonly string[]): string {
  return cells.every((cell) => cell === '') ? '' : cells.map((cell) => cell || '–').join('; ');
}

function conditions({ options, model }: Measured, usualModel: string | undefined): string {
  const isOther = model !== undefined && model !== usualModel && !options?.includes('--model');
  return `${isOther ? `, model ${model}` : ''}${options ? ` (\`${options}\`)` : ''}`;
}

function newest(group: readonly Measured[]): Measured {
  return [...group].sort((one, other) => one.date.localeCompare(other.date)).at(-1)!;
}

export function cellOf(row: Measured | undefined): string {
  return row ? marked(row, valueText(row)) : '';
}

/** Without unit and note, for columns of numbers. */
function bareCell(row: Measured | undefined): string {
  if (!row) return '';
  const { interval, value } = row;
  return marked(row, valueText({ ...(interval && { interval }), value, id: '', what: '' }));
}

function marked({ met }: Measured, text: string): string {
  return met === false ? `**missed: ${text}**` : text;
}

function barsOf(group: readonly Measured[]): string {
  const barred = group
    .filter(({ bar }) => bar !== undefined)
    .sort((one, other) => (one.at ?? 0) - (other.at ?? 0));
  const bars = unique(barred.map(({ bar }) => bar!));
  if (bars.length < 2) return bars[0] ?? '';
  return bars
    .map(
      (bar) =>
        `${bar} (${unique(barred.filter((row) => row.bar === bar).map(({ series }) => series)).join(', ')})`,
    )
    .join(', ');
}
