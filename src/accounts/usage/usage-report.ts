import type { KeyUsage, UsageReport } from '../../../wire/console.ts';
import type { Database } from '../../storage/database.ts';
import { createBalanceReader } from '../ledger/balances.ts';
import { periodAt } from '../ledger/calendar.ts';
import type { Accounts } from '../projects/accounts.ts';
import type { Plans } from '../projects/plans.ts';
import { dailyUsageOf, minutesOf, readDays, remainingMinutes } from './daily-usage.ts';
import { type UsageRange, wholeRange } from './usage-range.ts';

export type ReadUsageReport = (
  wanted: UsageRange & { project?: string | undefined; key?: string | undefined },
) => Promise<UsageReport>;

type Options = {
  database: Database;
  accounts: Pick<Accounts, 'projects' | 'keys'>;
  plans: Plans;
  clock?: { now(): number };
};

/** What the keys of one project, or of all, have used: for whoever runs the service. */
export function createUsageReport({ database, accounts, plans, clock = Date }: Options): ReadUsageReport {
  const readBalance = createBalanceReader({ database });

  return async ({ project, key, ...range }) => {
    const { month, day: today } = periodAt(clock.now());
    const { from, to } = wholeRange(range, today);
    const planOf = new Map((await accounts.projects.list()).map(({ id, plan }) => [id, plan]));
    const listed = await accounts.keys.list(project, { playground: true });
    const wanted = key === undefined ? listed : [await accounts.keys.find(key)];

    const keys: KeyUsage[] = [];
    for (const { project: owner, id, name, prefix, environment, revokedAt, playground } of wanted) {
      const rows = await readDays(database, id, { from, to });
      // There is one for every session of the console. Those that were not used would only be in the way.
      if (playground && key === undefined && rows.length === 0) continue;
      const quota = plans[planOf.get(owner.id)!].quotaMinutes ?? null;
      keys.push({
        project: owner,
        key: { id, name, prefix, environment, revokedAt },
        minutes: minutesOf(rows.reduce((sum, row) => sum + row.used_ms, 0)),
        requests: rows.reduce((sum, row) => sum + row.requests, 0),
        daily: dailyUsageOf(rows),
        quota,
        remaining: remainingMinutes(quota, (await readBalance(id, month)).usedMs),
      });
    }
    return { from, to, keys };
  };
}
