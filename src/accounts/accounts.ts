/** Everything that is managed about accounts, for the command line and the web console alike. */
import type { Database } from '../storage/database.ts';
import { randomText } from './api-key.ts';
import { createKeys, type Keys } from './keys.ts';
import { createProjects, type Project, type Projects } from './projects.ts';

export interface Accounts {
  readonly projects: Projects;
  readonly keys: Keys;
  /** On the first start: the account with a project named `default`. Undefined when there is an account already. */
  createFirst(): Promise<Project | undefined>;
}

type Options = { database: Database; clock?: { now(): number } };

export function createAccounts({ database, clock = Date }: Options): Accounts {
  const { queries } = database;
  const projects = createProjects({ database, clock, ensureAccount });

  async function ensureAccount(): Promise<string> {
    const existing = await queries
      .selectFrom('accounts')
      .select('id')
      .orderBy('created_at')
      .executeTakeFirst();
    if (existing) return existing.id;
    const account = {
      id: `acc_${randomText(16)}`,
      name: 'default',
      created_at: new Date(clock.now()).toISOString(),
    };
    await queries.insertInto('accounts').values(account).execute();
    return account.id;
  }

  return {
    projects,
    keys: createKeys({ database, clock, projects }),
    async createFirst() {
      const existing = await queries.selectFrom('accounts').select('id').executeTakeFirst();
      return existing ? undefined : projects.create({ name: 'default' });
    },
  };
}
