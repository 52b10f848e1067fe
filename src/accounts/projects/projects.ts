import type { PlanId } from '../../../wire/account.ts';
import type { Project } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { ProjectRow } from '../../storage/tables.ts';
import { parseAllowList } from '../keys/allow-list.ts';
import { randomText } from '../keys/api-key.ts';
import { checkedName } from './checked-name.ts';
import { isPlanId, planIds } from './plans.ts';

/** A project is named by its id or its name. */
export interface Projects {
  create(project: { name: string; plan?: string }): Promise<Project>;
  list(): Promise<Project[]>;
  /** Throws project_not_found. */
  find(idOrName: string): Promise<Project>;
  rename(idOrName: string, name: string): Promise<Project>;
  setPlan(idOrName: string, plan: string): Promise<Project>;
  setAllow(idOrName: string, networks: readonly string[]): Promise<Project>;
  /** Its keys stop working at once; what they used stays on record. */
  delete(idOrName: string): Promise<Project>;
}

type Options = { database: Database; clock: { now(): number }; ensureAccount(): Promise<string> };

export function createProjects({ database: { queries }, clock, ensureAccount }: Options): Projects {
  const present = queries.selectFrom('projects').selectAll().where('deleted_at', 'is', null);
  const now = () => new Date(clock.now()).toISOString();

  const find = async (idOrName: string): Promise<Project> => {
    const rows = await present
      .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
      .execute();
    const row = rows.find((candidate) => candidate.id === idOrName) ?? rows[0];
    if (!row) throw new ServiceError('project_not_found', { message: `There is no project "${idOrName}".` });
    return projectOf(row);
  };

  const change = async (idOrName: string, values: Partial<ProjectRow>): Promise<Project> => {
    const { id } = await find(idOrName);
    const row = await queries
      .updateTable('projects')
      .set(values)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    return row ? projectOf(row) : find(id);
  };

  return {
    async create({ name, plan = 'free' }) {
      const row = newProject({ accountId: await ensureAccount(), name, plan, createdAt: now() });
      await queries.insertInto('projects').values(row).execute().catch(refuseTakenName(row.name));
      return projectOf(row);
    },
    async list() {
      return (await present.orderBy('created_at').orderBy('id').execute()).map(projectOf);
    },
    find,
    rename: (idOrName, name) => change(idOrName, { name: checkedName(name) }).catch(refuseTakenName(name)),
    setPlan: (idOrName, plan) => change(idOrName, { plan: checkedPlan(plan) }),
    setAllow: (idOrName, networks) =>
      change(idOrName, { allow_list: JSON.stringify(parseAllowList(networks)) }),
    delete: (idOrName) => change(idOrName, { deleted_at: now() }),
  };
}

export function newProject(given: {
  accountId: string;
  name: string;
  plan: string;
  createdAt: string;
}): ProjectRow {
  return {
    id: `proj_${randomText(16)}`,
    account_id: given.accountId,
    name: checkedName(given.name),
    plan: checkedPlan(given.plan),
    allow_list: '[]',
    created_at: given.createdAt,
    deleted_at: null,
  };
}

export function projectOf(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    accountId: row.account_id,
    plan: row.plan as PlanId,
    allow: JSON.parse(row.allow_list),
    createdAt: row.created_at,
  };
}

function checkedPlan(plan: string): PlanId {
  if (isPlanId(plan)) return plan;
  throw new ServiceError('invalid_value', {
    message: `"${plan}" is not a plan. Plans: ${planIds.join(', ')}.`,
    param: 'plan',
  });
}

/** SQLite and PostgreSQL each have their own code for it. */
function refuseTakenName(name: string) {
  return (error: Error & { code?: string }): never => {
    if (error.code !== '23505' && error.code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
    throw new ServiceError('invalid_value', {
      message: `There is a project named "${name}" already. Choose another name.`,
      param: 'name',
      cause: error,
    });
  };
}
