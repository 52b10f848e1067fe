import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { PlanId } from '../../wire/account.ts';

export type BenchKey = { id: string; key: string };

/** A data folder that is removed afterwards, and the accounts in it. */
export type ServiceFolder = AsyncDisposable & {
  path: string;
  databaseUrl: string;
  /** Keys of the live environment, all of one project on the plan. */
  createKeys(count: number, plan: PlanId): Promise<BenchKey[]>;
  /** Looks into the database beside the service. */
  withDatabase<Result>(look: (database: Database) => Promise<Result>): Promise<Result>;
};

export async function createServiceFolder(databaseUrl?: string): Promise<ServiceFolder> {
  const path = await mkdtemp(join(tmpdir(), 'siann-bench-'));
  const url = databaseUrl ?? join(path, 'siann.db');
  const withDatabase: ServiceFolder['withDatabase'] = async (look) => {
    await using database = await openDatabase({ url });
    return await look(database);
  };
  return {
    path,
    databaseUrl: url,
    withDatabase,
    createKeys: (count, plan) =>
      withDatabase(async (database) => {
        const { projects, keys } = createAccounts({ database });
        const project = await projects.create({ name: `bench ${plan} ${Math.random()}`, plan });
        const made: BenchKey[] = [];
        for (let i = 0; i < count; i++) {
          const { id, key } = await keys.create({ project: project.id, environment: 'live' });
          made.push({ id, key });
        }
        return made;
      }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
