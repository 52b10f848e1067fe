import type { Project } from '../../../wire/console.ts';
import { type Command, parseCommandLine, UsageError } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { type Action, parseAction, print, runAction, tableOr } from './account-command.ts';

export const projects: Command = (args, context) =>
  runAction({ list, create, rename, allow, delete: remove }, args, context);

const list: Action = async (args, context) => {
  const { values } = parseAction(args, [], {});
  const found = await context.accounts.projects.list();
  const rows = found.map(({ name, id, plan, allow, createdAt }) => [
    name,
    id,
    plan,
    allow.join(', ') || 'everyone',
    createdAt.slice(0, 10),
  ]);
  const empty = 'There are no projects yet. Make one with: siann projects create NAME';
  print(context, values.json, found, tableOr(empty, ['project', 'id', 'plan', 'allowed', 'created'], rows));
};

const create: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['NAME'], { plan: { type: 'string', default: 'free' } });
  const project = await context.accounts.projects.create({ name: positionals[0]!, plan: values.plan });
  const next = `Make a key with: siann keys create --project ${project.id} --environment test\n`;
  print(context, values.json, [project], `Created ${named(project)} with the plan ${project.plan}.\n${next}`);
};

const rename: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['PROJECT', 'NAME'], {});
  const project = await context.accounts.projects.rename(positionals[0]!, positionals[1]!);
  print(context, values.json, [project], `The project is now called ${named(project)}.\n`);
};

const allow: Action = async (args, context) => {
  const { values, positionals } = parseCommandLine(args, {
    everyone: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const [name, ...networks] = positionals;
  if (name === undefined) throw new UsageError('PROJECT is missing.');
  if (values.everyone === networks.length > 0)
    throw new UsageError('Name the networks that may use the project, or say --everyone.');
  const project = await context.accounts.projects.setAllow(name, networks);
  const who = project.allow.length > 0 ? `from ${project.allow.join(', ')} only` : 'from everywhere';
  print(context, values.json, [project], `Requests to ${named(project)} are taken ${who}.\n`);
};

const remove: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['PROJECT'], {
    yes: { type: 'boolean', default: false },
  });
  const found = await context.accounts.projects.find(positionals[0]!);
  if (!values.yes)
    await confirm(`Deleting ${named(found)} makes all its keys fail at once, for good.`, context);
  const project = await context.accounts.projects.delete(found.id);
  print(context, values.json, [project], `Deleted ${named(project)}.\n`);
};

function named({ name, id }: Project): string {
  return `${name} (${id})`;
}
