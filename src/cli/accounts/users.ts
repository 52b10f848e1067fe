import { consoleRoles } from '../../../wire/console.ts';
import { createConsoleUsers } from '../../accounts/sign-in/console-users.ts';
import { createSignIn } from '../../accounts/sign-in/sign-in.ts';
import { type Command, UsageError } from '../command.ts';
import { consoleOrigin, setupAddress } from '../service/console-address.ts';
import { confirm } from '../terminal/confirm.ts';
import { type Action, parseAction, print, runAction, tableOr } from './account-command.ts';

/** The people who may sign in to the console. */
export const users: Command = (args, context) => runAction({ list, link, role, remove }, args, context);

const list: Action = async (args, context) => {
  const { values } = parseAction(args, [], {});
  const found = await createConsoleUsers(context).list();
  const rows = found.map(({ name, id, role, hasPassword, createdAt }) => [
    name,
    id,
    role,
    hasPassword ? 'password' : 'single sign-on',
    createdAt.slice(0, 10),
  ]);
  const empty = 'Nobody can sign in to the console yet. Make a link with: siann users link';
  print(
    context,
    values.json,
    found,
    tableOr(empty, ['user', 'id', 'role', 'signs in with', 'created'], rows),
  );
};

const link: Action = async (args, context) => {
  const { values } = parseAction(args, [], { role: { type: 'string' }, user: { type: 'string' } });
  if (values.role !== undefined && values.user !== undefined)
    throw new UsageError('Say --role for somebody new, or --user for a new password, not both.');
  const { role, user } = values;
  const secret = await createSignIn(context).createLink({ role, user, by: context.by });
  const address = setupAddress(consoleOrigin(context.loadConfig()), secret);
  print(context, values.json, [{ link: address }], `${purposeOf(role, user)}\n\n  ${address}\n\n`);
};

function purposeOf(role: string | undefined, user: string | undefined): string {
  if (user !== undefined) return `Whoever opens this within a day chooses a new password for ${user}.`;
  if (role !== undefined && role !== 'owner')
    return `Whoever opens this within a day chooses a name and a password, and is ${role} then.`;
  return 'Whoever opens this within a day chooses a name and a password; an old name gets a new password.';
}

const role: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['NAME', consoleRoles.join('|')], {});
  const user = await createConsoleUsers(context).setRole(positionals[0]!, positionals[1]!, context.by);
  print(context, values.json, [user], `${user.name} is ${user.role} now, and has to sign in again.\n`);
};

const remove: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['NAME'], { yes: { type: 'boolean', default: false } });
  const name = positionals[0]!;
  if (!values.yes) await confirm(`${name} will be signed out everywhere and cannot sign in again.`, context);
  await createConsoleUsers(context).remove(name, context.by);
  print(context, values.json, [{ removed: name }], `Removed ${name}.\n`);
};
