/** Everything that is managed about accounts, for the command line and the web console alike. */
import type { Kysely } from 'kysely';
import type { Project } from '../../../wire/console.ts';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { randomText } from '../keys/api-key.ts';
import { createKeys, type Keys } from '../keys/keys.ts';
import type { SigningSecrets } from '../keys/signing-secrets.ts';
import { createProjects, newProject, type Projects, projectOf } from './projects.ts';

export interface Accounts {
  readonly projects: Projects;
  readonly keys: Keys;
  /** On the first start: the account with a project named `default`. Undefined when there is an account already. */
  createFirst(): Promise<Project | undefined>;
}

export type AccountsOptions = {
  database: Database;
  clock?: { now(): number };
  /** Asked for when a key gets a signing secret. Without it, secrets are kept readable. */
  signingSecrets?: () => Promise<SigningSecrets>;
};

/** There is one account today. Its name is unique, so that two starts at once do not make two of them. */
const accountName = 'default';

export function createAccounts({ database, clock = Date, signingSecrets }: AccountsOptions): Accounts {
  const { queries } = database;
  const now = () => new Date(clock.now()).toISOString();

  /** The id of the account when it was made now. */
  const insertAccount = async (within: Kysely<Tables>): Promise<string | undefined> => {
    const inserted = await within
      .insertInto('accounts')
      .values({ id: `acc_${randomText(16)}`, name: accountName, created_at: now() })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return inserted?.id;
  };
  const findAccount = () =>
    queries.selectFrom('accounts').select('id').orderBy('created_at').executeTakeFirst();

  const projects = createProjects({
    database,
    clock,
    async ensureAccount() {
      const account = await findAccount();
      return account?.id ?? (await insertAccount(queries)) ?? (await findAccount())!.id;
    },
  });

  return {
    projects,
    keys: createKeys({ database, clock, projects, ...(signingSecrets && { signingSecrets }) }),
    async createFirst() {
      if (await findAccount()) return undefined;
      return queries.transaction().execute(async (transaction) => {
        const accountId = await insertAccount(transaction);
        if (accountId === undefined) return undefined;
        const row = newProject({ accountId, name: 'default', plan: 'free', createdAt: now() });
        await transaction.insertInto('projects').values(row).execute();
        return projectOf(row);
      });
    },
  };
}
