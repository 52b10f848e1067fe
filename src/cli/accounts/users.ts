import { createSignIn } from '../../accounts/sign-in/sign-in.ts';
import type { Command } from '../command.ts';
import { consoleOrigin, setupAddress } from '../service/console-address.ts';
import { confirm } from '../terminal/confirm.ts';
import { type Action, parseAction, print, runAction, tableOr } from './account-command.ts';

/** The people who may sign in to the console. */
export const users: Command = (args, context) => runAction({ list, link, remove }, args, context);

const list: Action = async (args, context) => {
  const { values } = parseAction(args, [], {});
  const found = await createSignIn(context).listUsers();
  const rows = found.map(({ name, id, createdAt }) => [name, id, createdAt.slice(0, 10)]);
  const empty = 'Nobody can sign in to the console yet. Make a link with: siann users link';
  print(context, values.json, found, tableOr(empty, ['user', 'id', 'created'], rows));
};

const link: Action = async (args, context) => {
  const { values } = parseAction(args, [], {});
  const secret = await createSignIn(context).createLink();
  const address = setupAddress(consoleOrigin(context.loadConfig()), secret);
  const sentence =
    'Whoever opens this within a day chooses a name and a password; an old name gets a new password.';
  print(context, values.json, [{ link: address }], `${sentence}\n\n  ${address}\n\n`);
};

const remove: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['NAME'], { yes: { type: 'boolean', default: false } });
  const name = positionals[0]!;
  if (!values.yes) await confirm(`${name} will be signed out everywhere and cannot sign in again.`, context);
  await createSignIn(context).removeUser(name);
  print(context, values.json, [{ removed: name }], `Removed ${name}.\n`);
};
