import type { Account, MonthlyUsage, Usage } from '../../../wire/account.ts';
import type { Database } from '../../storage/database.ts';
import type { Admitted } from '../admission.ts';
import { createBalanceReader } from '../ledger/balances.ts';
import { periodAt, resetDateOf } from '../ledger/calendar.ts';
import type { Plans } from '../projects/plans.ts';
import { dailyUsageOf, minutesOf, readDays, remainingMinutes } from './daily-usage.ts';
import { type UsageRange, wholeRange } from './usage-range.ts';

/** What a key may know of itself. */
export interface UsageViews {
  readAccount(admitted: Admitted): Promise<Account>;
  /** Throws invalid_value for a range that makes no sense or is longer than 366 days. */
  readUsage(admitted: Admitted, range?: UsageRange): Promise<Usage>;
}

type Options = { database: Database; plans: Plans; clock?: { now(): number } };

export function createUsageViews({ database, plans, clock = Date }: Options): UsageViews {
  const readBalance = createBalanceReader({ database });

  const readMonth = async ({ key, plan }: Admitted): Promise<MonthlyUsage> => {
    const now = clock.now();
    const { usedMs } = await readBalance(key.id, periodAt(now).month);
    const currentMonth = minutesOf(usedMs);
    const quota = plans[plan].quotaMinutes ?? null;
    const remaining = remainingMinutes(quota, usedMs);
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
      const days = wholeRange(range, periodAt(clock.now()).day);
      const daily = dailyUsageOf(await readDays(database, admitted.key.id, days));
      return { ...(await readMonth(admitted)), environment: admitted.environment, daily };
    },
  };
}
