import type { DailyUsage } from '../../../wire/account.ts';
import type { Database } from '../../storage/database.ts';
import type { DailyUsageRow } from '../../storage/tables.ts';

/** A key's days from one to another, both included, without those on which nothing was transcribed. */
export function readDays(
  { queries }: Database,
  keyId: string,
  { from, to }: { from: string; to: string },
): Promise<DailyUsageRow[]> {
  return queries
    .selectFrom('daily_usage')
    .selectAll()
    .where('key_id', '=', keyId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day')
    .execute();
}

export function dailyUsageOf(rows: readonly DailyUsageRow[]): DailyUsage[] {
  return rows.map(({ day, used_ms, requests }) => ({ date: day, minutes: minutesOf(used_ms), requests }));
}

/** With two decimals. */
export function minutesOf(milliseconds: number): number {
  return Math.round(milliseconds / 600) / 100;
}

/** Such that used and remaining minutes, each with two decimals, add up to the quota. */
export function remainingMinutes(quotaMinutes: number | null, usedMs: number): number | null {
  if (quotaMinutes === null) return null;
  return Math.max(0, Math.round((quotaMinutes - minutesOf(usedMs)) * 100) / 100);
}
