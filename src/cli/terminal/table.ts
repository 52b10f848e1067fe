/** Rows as lines with their columns aligned; the first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => columnsOf(row[column]!))));
  const lines = rows.map((row) =>
    row.map((cell, column) => cell + ' '.repeat(widths[column]! - columnsOf(cell))).join('  '),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{20000}-\u{3FFFD}]/u;

/** How wide a text stands on a terminal, where Han and other wide characters take two columns. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += wide.test(character) ? 2 : 1;
  return columns;
}
