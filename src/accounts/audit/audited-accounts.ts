import type { Kysely } from 'kysely';
import type { Key, Project } from '../../../wire/console.ts';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import type { Keys } from '../keys/keys.ts';
import { type Accounts, type AccountsOptions, createAccounts } from '../projects/accounts.ts';
import type { Projects } from '../projects/projects.ts';
import { type Actor, addAuditEntry, type Change } from './audit-log.ts';

/** The same accounts, for somebody whose changes are noted. Change and note are one transaction. */
export type AuditedAccounts = { projects: Projects; keys: Keys };

export function createAuditedAccounts(options: AccountsOptions, actor: Actor): AuditedAccounts {
  const { database, clock = Date } = options;
  const { projects, keys } = createAccounts(options);

  const noted = <Result>(work: (accounts: Accounts, note: Note) => Promise<Result>): Promise<Result> =>
    database.queries.transaction().execute((transaction) => {
      const note: Note = (change) => addAuditEntry(transaction, { actor, change, nowMs: clock.now() });
      return work(createAccounts({ ...options, database: within(database, transaction) }), note);
    });
  /** For changes of a project that are told by what was before and what is now. */
  const changed = (
    idOrName: string,
    change: (projects: Projects) => Promise<Project>,
    describe: (before: Project, after: Project) => Omit<Change, 'target'>,
  ) =>
    noted(async (accounts, note) => {
      const before = await accounts.projects.find(idOrName);
      const after = await change(accounts.projects);
      await note({ ...describe(before, after), target: { id: after.id, name: before.name } });
      return after;
    });
  const changedKey = <Result extends Key>(
    action: Change['action'],
    change: (keys: Keys) => Promise<Result>,
    describe?: (key: Result) => Record<string, string>,
  ) =>
    noted(async (accounts, note) => {
      const key = await change(accounts.keys);
      await note({ action, target: targetOf(key), ...(describe && { details: describe(key) }) });
      return key;
    });

  return {
    projects: {
      list: projects.list,
      find: projects.find,
      create: (given) =>
        noted(async (accounts, note) => {
          const project = await accounts.projects.create(given);
          const { id, name, plan } = project;
          await note({ action: 'project.create', target: { id, name }, details: { plan } });
          return project;
        }),
      rename: (id, name) =>
        changed(
          id,
          (all) => all.rename(id, name),
          (before, after) => ({ action: 'project.rename', details: { from: before.name, to: after.name } }),
        ),
      setPlan: (id, plan) =>
        changed(
          id,
          (all) => all.setPlan(id, plan),
          (before, after) => ({ action: 'project.plan', details: { from: before.plan, to: after.plan } }),
        ),
      setAllow: (id, networks) =>
        changed(
          id,
          (all) => all.setAllow(id, networks),
          (before, after) => ({
            action: 'project.allow',
            details: { from: before.allow.join(', '), to: after.allow.join(', ') },
          }),
        ),
      delete: (id) =>
        changed(
          id,
          (all) => all.delete(id),
          () => ({ action: 'project.delete' }),
        ),
    },
    keys: {
      list: keys.list,
      find: keys.find,
      create: (given) =>
        changedKey(
          'key.create',
          (all) => all.create(given),
          ({ project, environment, scopes, expiresAt }) => ({
            project: project.name,
            environment,
            ...(scopes && { scopes: scopes.join(', ') }),
            ...(expiresAt && { expiresAt }),
          }),
        ),
      rename: (id, name) =>
        noted(async (accounts, note) => {
          const before = await accounts.keys.find(id);
          const key = await accounts.keys.rename(id, name);
          const details = { from: before.name, to: key.name };
          await note({ action: 'key.rename', target: targetOf(before), details });
          return key;
        }),
      regenerate: (id) => changedKey('key.regenerate', (all) => all.regenerate(id)),
      roll: (id, graceMs) =>
        changedKey(
          'key.roll',
          (all) => all.roll(id, graceMs),
          (key) => ({ previousUntil: key.previousUntil! }),
        ),
      revoke: (id) => changedKey('key.revoke', (all) => all.revoke(id)),
      requireSignature: (id) => changedKey('key.sign', (all) => all.requireSignature(id)),
      dropSignature: (id) => changedKey('key.unsign', (all) => all.dropSignature(id)),
    },
  };
}

type Note = (change: Change) => Promise<void>;

function within(database: Database, transaction: Kysely<Tables>): Database {
  return { ...database, queries: transaction };
}

function targetOf({ id, name, prefix }: Key) {
  return { id, name: `${name} (${prefix}…)` };
}
