import type { UsageReport } from '../../../wire/console.ts';

/** A line for each key and day (RFC 4180). */
export function usageCsv({ keys }: UsageReport): string {
  const rows = keys.flatMap(({ key, daily }) =>
    daily.map(({ date, minutes, requests }) => [
      date,
      key.environment,
      key.id,
      key.name,
      minutes.toFixed(2),
      String(requests),
    ]),
  );
  rows.sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
  const head = ['date', 'environment', 'key', 'name', 'minutes', 'requests'];
  return `${[head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** A spreadsheet would run a text that begins like a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
