import { UsageError } from '../command.ts';

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };
const form = /^(\d{1,5})([mhd])$/;

/** `30m`, `24h` or `7d`, in milliseconds. */
export function durationOf(text: string): number {
  const [, count, unit] = form.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw new UsageError(`"${text}" is not a length of time. Write it as 30m, 24h or 7d.`);
  return Number(count) * unitMs[unit]!;
}

/** A time such as 2027-01-31, or that far from now. What is neither is left to whoever takes the time. */
export function timeOf(text: string, nowMs: number): string {
  return form.test(text) ? new Date(nowMs + durationOf(text)).toISOString() : text;
}
