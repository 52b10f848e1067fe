import { ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { Admitted, Environment, PlanId } from './admission.ts';
import { createBalanceReader } from './balances.ts';
import { daysBetween, isDay, periodAt, resetDateOf } from './calendar.ts';
import { type Plans, plans as publishedPlans } from './plans.ts';

/** Minutes are rounded to two decimals; null is without limit; the reset is an ISO 8601 instant. */
export type MonthlyUsage = {
  currentMonth: number;
  quota: number | null;
  remaining: number | null;
  resetDate: string;
};

export type AccountView = {
  id: string;
  name: string;
  environment: Environment;
  project: { id: string; name: string };
  plan: PlanId;
  key: { id: string; prefix: string; createdAt: string };
  usage: MonthlyUsage;
  rateLimit: { requestsPerSecond: number; concurrentConnections: number };
};

/** Days on which nothing was transcribed are left out. */
export type UsageView = MonthlyUsage & {
  environment: Environment;
  daily: { date: string; minutes: number; requests: number }[];
};

/** Days as YYYY-MM-DD, both included. */
export type UsageRange = { from?: string | undefined; to?: string | undefined };

/** What a key may know of itself. */
export interface UsageViews {
  readAccount(admitted: Admitted): Promise<AccountView>;
  /** Throws invalid_value for a range that makes no sense or is longer than 366 days. */
  readUsage(admitted: Admitted, range?: UsageRange): Promise<UsageView>;
}

type Options = { database: Database; clock?: { now(): number }; plans?: Plans };

export function createUsageViews({ database, clock = Date, plans = publishedPlans }: Options): UsageViews {
  const readBalance = createBalanceReader({ database });

  const readMonth = async ({ key, plan }: Admitted): Promise<MonthlyUsage> => {
    const now = clock.now();
    const { usedMs } = await readBalance(key.id, periodAt(now).month);
    const currentMonth = minutesOf(usedMs);
    const quota = plans[plan].quotaMinutes ?? null;
    const remaining = quota === null ? null : Math.max(0, Math.round((quota - currentMonth) * 100) / 100);
    return { currentMonth, quota, remaining, resetDate: resetDateOf(now).toISOString() };
  };

  return {
    async readAccount(admitted) {
      const { account, project, key, environment, plan } = admitted;
      const { requestsPerSecond, concurrentConnections } = plans[plan];
      return {
        id: account.id,
        name: account.name,
        environment,
        project,
        plan,
        key,
        usage: await readMonth(admitted),
        rateLimit: { requestsPerSecond, concurrentConnections },
      };
    },
    async readUsage(admitted, range = {}) {
      const { from, to } = wholeRange(range, periodAt(clock.now()).day);
      const rows = await database.queries
        .selectFrom('daily_usage')
        .select(['day', 'used_ms', 'requests'])
        .where('key_id', '=', admitted.key.id)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .execute();
      const daily = rows.map(({ day, used_ms, requests }) => ({
        date: day,
        minutes: minutesOf(used_ms),
        requests,
      }));
      return { ...(await readMonth(admitted)), environment: admitted.environment, daily };
    },
  };
}

export function minutesOf(milliseconds: number): number {
  return Math.round(milliseconds / 600) / 100;
}

/** The current month unless told otherwise; one end alone goes to the end or the beginning of its month. */
export function wholeRange(range: UsageRange, today: string): { from: string; to: string } {
  for (const param of ['from', 'to'] as const) {
    if (range[param] !== undefined && !isDay(range[param]))
      throw new ServiceError('invalid_value', {
        param,
        message: `${param} must be a day such as 2026-11-15.`,
      });
  }
  const to = range.to ?? (range.from !== undefined && range.from > today ? range.from : today);
  const from = range.from ?? `${to.slice(0, 7)}-01`;
  const days = daysBetween(from, to) + 1;
  if (days < 1)
    throw new ServiceError('invalid_value', { param: 'from', message: 'from must not be after to.' });
  if (days > 366)
    throw new ServiceError('invalid_value', {
      param: 'from',
      message: 'from and to must be at most 366 days apart. Ask for one year at a time.',
    });
  return { from, to };
}
