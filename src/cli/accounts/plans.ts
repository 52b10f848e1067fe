import { planIds, plans as publishedPlans } from '../../accounts/projects/plans.ts';
import type { Command } from '../command.ts';
import { table } from '../terminal/table.ts';
import { type Action, parseAction, print, runAction } from './account-command.ts';

export const plans: Command = (args, context) => runAction({ list, set }, args, context);

const list: Action = async (args, context) => {
  const { values } = parseAction(args, [], {});
  const objects = planIds.map((id) => ({
    id,
    ...publishedPlans[id],
    quotaMinutes: publishedPlans[id].quotaMinutes ?? null,
  }));
  const rows = objects.map(({ id, quotaMinutes, requestsPerSecond, concurrentConnections }) => [
    id,
    quotaMinutes?.toLocaleString('en') ?? 'unlimited',
    String(requestsPerSecond),
    String(concurrentConnections),
  ]);
  const heading = ['plan', 'minutes a month', 'requests a second', 'connections at once'];
  print(
    context,
    values.json,
    objects,
    `${table([heading, ...rows])}Each key of a project has these limits for itself.\n`,
  );
};

const set: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['PROJECT', 'PLAN'], {});
  const project = await context.accounts.projects.setPlan(positionals[0]!, positionals[1]!);
  print(
    context,
    values.json,
    [project],
    `${project.name} (${project.id}) has the plan ${project.plan} now.\n`,
  );
};
