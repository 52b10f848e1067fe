/** Months and days of the ledger: UTC, as `2026-11` and `2026-11-15`, which sort as text. */
export type Period = { month: string; day: string };

export function periodAt(nowMs: number): Period {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return { month: day.slice(0, 7), day };
}

/** When the month's quota begins again. */
export function resetDateOf(nowMs: number): Date {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/** True for the days of the calendar written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}
