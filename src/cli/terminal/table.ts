import { columnsOf } from '../../../wire/text-width.ts';

/** Rows as lines with aligned columns. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column]!))));
  const lines = rows.map((row) =>
    row.map((cell, column) => cell + ' '.repeat(widths[column]! - columnsOf(cell))).join('  '),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
