import { plans } from '../../accounts/projects/plans.ts';
import { createUsageReport } from '../../accounts/usage/usage-report.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { onDatabase, parseAction, print, tableOr } from './account-command.ts';

export const usage: Command = async (args, context) => {
  const { values } = parseAction(args, [], {
    project: { type: 'string' },
    key: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
  });
  await onDatabase(context, async (accountContext) => {
    const { database, accounts } = accountContext;
    const { from, to, keys } = await createUsageReport({ database, accounts, plans })(values);
    const rows = keys.map(({ project, key, minutes, requests, remaining }) => [
      project.name,
      `${key.prefix}…`,
      key.id,
      key.environment,
      minutes.toFixed(2),
      String(requests),
      remaining === null ? 'unlimited' : remaining.toFixed(2),
    ]);
    const heading = ['project', 'key', 'id', 'environment', 'minutes', 'requests', 'left this month'];
    const text = tableOr('There are no keys yet, and so no usage.', heading, rows);
    const objects = keys.map((key) => ({ ...key, from, to }));
    print(accountContext, values.json, objects, keys.length > 0 ? `From ${from} to ${to}:\n${text}` : text);
  });
  return exitCodes.ok;
};
