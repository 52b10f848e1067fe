import type { Key, NewKey } from '../../../wire/console.ts';
import { type Command, UsageError } from '../command.ts';
import { confirm } from '../terminal/confirm.ts';
import { durationOf, timeOf } from '../terminal/times.ts';
import { type Action, parseAction, print, runAction, tableOr } from './account-command.ts';

export const keys: Command = (args, context) =>
  runAction({ create, list, rename, regenerate, roll, revoke, sign }, args, context);

const create: Action = async (args, context) => {
  const { values } = parseAction(args, [], {
    project: { type: 'string' },
    environment: { type: 'string' },
    name: { type: 'string', default: 'key' },
    expires: { type: 'string' },
    scopes: { type: 'string' },
  });
  const { project, environment, name, expires, scopes } = values;
  if (project === undefined) throw new UsageError('Say whose key it is with --project PROJECT.');
  if (environment === undefined) throw new UsageError('Say --environment live or --environment test.');
  const key = await context.accounts.keys.create({
    project,
    environment,
    name,
    expiresAt: expires === undefined ? undefined : timeOf(expires, Date.now()),
    scopes: scopes?.split(/[\s,]+/).filter(Boolean),
  });
  print(context, values.json, [key], shownOnce(key));
};

const list: Action = async (args, context) => {
  const { values } = parseAction(args, [], { project: { type: 'string' } });
  const found = await context.accounts.keys.list(values.project);
  const rows = found.map((key) => [
    `${key.prefix}…`,
    key.id,
    key.name,
    key.project.name,
    key.environment,
    stateOf(key),
    key.scopes?.join(', ') ?? 'everything',
    key.createdAt.slice(0, 10),
    key.lastUsedAt?.slice(0, 10) ?? 'never',
  ]);
  const heading = ['key', 'id', 'name', 'project', 'environment', 'state', 'may', 'created', 'last used'];
  const empty =
    'There are no keys yet. Make one with: siann keys create --project PROJECT --environment test';
  print(context, values.json, found, tableOr(empty, heading, rows));
};

const rename: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['KEY', 'NAME'], {});
  const key = await context.accounts.keys.rename(positionals[0]!, positionals[1]!);
  print(context, values.json, [key], `The key ${key.id} is now called ${key.name}.\n`);
};

const regenerate: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['KEY'], { yes: { type: 'boolean', default: false } });
  const found = await context.accounts.keys.find(positionals[0]!);
  if (!values.yes)
    await confirm(`Regenerating ${described(found)} makes the present key fail at once.`, context);
  const key = await context.accounts.keys.regenerate(found.id);
  print(context, values.json, [key], `The old key no longer works.\n${shownOnce(key)}`);
};

const roll: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['KEY'], { grace: { type: 'string', default: '24h' } });
  const key = await context.accounts.keys.roll(positionals[0]!, durationOf(values.grace));
  const until = key.previousUntil!.replace('T', ' ').slice(0, 16);
  print(context, values.json, [key], `The old key works until ${until} UTC.\n${shownOnce(key)}`);
};

const revoke: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['KEY'], { yes: { type: 'boolean', default: false } });
  const found = await context.accounts.keys.find(positionals[0]!);
  if (!values.yes) await confirm(`Revoking ${described(found)} makes it fail at once, for good.`, context);
  const key = await context.accounts.keys.revoke(found.id);
  print(context, values.json, [key], `Revoked ${described(key)}.\n`);
};

const sign: Action = async (args, context) => {
  const { values, positionals } = parseAction(args, ['KEY'], { off: { type: 'boolean', default: false } });
  const [name = ''] = positionals;
  if (values.off) {
    const key = await context.accounts.keys.dropSignature(name);
    print(context, values.json, [key], `Requests with ${described(key)} need no signature any more.\n`);
    return;
  }
  const key = await context.accounts.keys.requireSignature(name);
  const text = `Requests with ${described(key)} must be signed from now on. The signing secret:\n\n  ${key.signingSecret}\n`;
  print(context, values.json, [key], text);
};

function shownOnce({ key, id, environment, project }: NewKey): string {
  return [
    `The ${environment} key of ${project.name} (${id}):`,
    '',
    `  ${key}`,
    '',
    'It is shown this once; only its hash is kept.',
    '',
  ].join('\n');
}

function described({ prefix, id }: Key): string {
  return `${prefix}… (${id})`;
}

function stateOf({ revokedAt, expiresAt, signed }: Key): string {
  if (revokedAt !== null) return `revoked ${revokedAt.slice(0, 10)}`;
  if (expiresAt !== null && Date.parse(expiresAt) <= Date.now()) return `expired ${expiresAt.slice(0, 10)}`;
  const until = expiresAt === null ? 'valid' : `valid until ${expiresAt.slice(0, 10)}`;
  return signed ? `${until}, signed` : until;
}
