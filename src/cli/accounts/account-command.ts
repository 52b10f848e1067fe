/** The common part of the commands for accounts: actions, the database, and what they print. */

import { hostname, userInfo } from 'node:os';
import type { ParseArgsConfig } from 'node:util';
import type { Actor } from '../../accounts/audit/audit-log.ts';
import { type AuditedAccounts, createAuditedAccounts } from '../../accounts/audit/audited-accounts.ts';
import { createSigningSecrets } from '../../accounts/keys/signing-secrets.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import { installationSecret } from '../../storage/installation-secret.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createSeal } from '../../storage/seal.ts';
import { type CommandContext, parseCommandLine, refuseArguments, UsageError } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { table } from '../terminal/table.ts';

type AccountContext = CommandContext & {
  database: Database;
  accounts: AuditedAccounts;
  /** Whoever runs the command, as the audit log names them. */
  by: Actor;
};

export type Action = (args: string[], context: AccountContext) => Promise<void>;

/** Runs the action that the first argument names, on the database of the settings. */
export async function runAction(
  actions: Readonly<Record<string, Action>>,
  [name = '', ...args]: string[],
  context: CommandContext,
): Promise<number> {
  if (!Object.hasOwn(actions, name)) {
    const problem = name === '' ? 'Say what to do' : `"${name}" is not something to do here`;
    throw new UsageError(`${problem}: ${Object.keys(actions).join(', ')}.`);
  }
  await onDatabase(context, (accountContext) => actions[name]!(args, accountContext));
  return exitCodes.ok;
}

export async function onDatabase(
  context: CommandContext,
  work: (context: AccountContext) => Promise<void>,
): Promise<void> {
  const config = context.loadConfig();
  await using database = await openDatabase({ url: config.databaseUrl });
  try {
    const by = commandActor();
    const signingSecrets = async () => {
      const secret = await installationSecret(config);
      return createSigningSecrets(secret === undefined ? undefined : createSeal(secret));
    };
    await work({
      ...context,
      database,
      accounts: createAuditedAccounts({ database, signingSecrets }, by),
      by,
    });
  } catch (error) {
    throw asCommandError(error);
  }
}

/** Reads the options, `--json` among them, and exactly the arguments in `names`. */
export function parseAction<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  names: readonly string[],
  options: Options,
) {
  const { values, positionals } = parseCommandLine(args, {
    ...options,
    json: { type: 'boolean', default: false },
  });
  refuseArguments(positionals.slice(names.length));
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  return { values, positionals };
}

/** Prints one JSON object per line, or the text for people. */
export function print(
  context: CommandContext,
  json: boolean,
  objects: readonly object[],
  text: string,
): void {
  context.stdout.write(json ? objects.map((object) => `${JSON.stringify(object)}\n`).join('') : text);
}

/** A table, or the sentence that says why there is none. */
export function tableOr(
  empty: string,
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return rows.length === 0 ? `${empty}\n` : table([heading, ...rows]);
}

function commandActor(): Actor {
  return { source: 'command line', name: systemUser(), address: hostname() };
}

/** In a container, the user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

function asCommandError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (error.code === 'invalid_value') return new UsageError(error.message, { cause: error });
  if (error.code === 'project_not_found')
    return new Error(
      `${error.message} See: siann projects list. A new one is made with: siann projects create NAME`,
      { cause: error },
    );
  if (error.code === 'not_found') {
    const hint = error.message.includes('See: ') ? '' : ' See: siann keys list';
    return new Error(`${error.message}${hint}`, { cause: error });
  }
  return error;
}
