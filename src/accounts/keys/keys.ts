import type { Environment } from '../../../wire/account.ts';
import type { Key, NewKey } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { ApiKeyRow } from '../../storage/tables.ts';
import { checkedName } from '../projects/checked-name.ts';
import type { Projects } from '../projects/projects.ts';
import { createApiKey, randomText } from './api-key.ts';

export interface Keys {
  create(key: { project: string; environment: string; name?: string }): Promise<NewKey>;
  /** Of one project, or of all; the revoked ones too, since they have usage. */
  list(project?: string): Promise<Key[]>;
  /** By id, or by prefix when only one key has it. Throws not_found. */
  find(idOrPrefix: string): Promise<Key>;
  /** The old key fails at once; id, usage and signing secret stay. */
  regenerate(idOrPrefix: string): Promise<NewKey>;
  revoke(idOrPrefix: string): Promise<Key>;
  rename(idOrPrefix: string, name: string): Promise<Key>;
  /** From now on requests must be signed with the secret that it returns. The secret replaces any earlier one. */
  requireSignature(idOrPrefix: string): Promise<Key & { signingSecret: string }>;
  dropSignature(idOrPrefix: string): Promise<Key>;
}

type Options = { database: Database; clock: { now(): number }; projects: Projects };

export function createKeys({ database: { queries }, clock, projects }: Options): Keys {
  const now = () => new Date(clock.now()).toISOString();
  const present = queries
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .select('projects.name as project_name')
    .where('projects.deleted_at', 'is', null)
    .orderBy('api_keys.created_at')
    .orderBy('api_keys.id');

  const find = async (idOrPrefix: string): Promise<Key> => {
    const rows = await present
      .where((where) => where.or([where('api_keys.id', '=', idOrPrefix), where('prefix', '=', idOrPrefix)]))
      .execute();
    if (rows.length === 1) return keyOf(rows[0]!);
    const message =
      rows.length === 0
        ? `There is no key "${idOrPrefix}".`
        : `Several keys begin with "${idOrPrefix}". Name one by its id.`;
    throw new ServiceError('not_found', { message });
  };

  /** Revoked keys stay as they are. */
  const change = async (idOrPrefix: string, values: Partial<ApiKeyRow>): Promise<Key> => {
    const { id } = await find(idOrPrefix);
    const row = await queries
      .updateTable('api_keys')
      .set(values)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (row) return find(id);
    throw new ServiceError('not_found', { message: `The key ${id} was revoked. Create a new one.` });
  };

  return {
    async create({ project, environment, name = 'key' }) {
      const { key, prefix, hash } = createApiKey(checkedEnvironment(environment));
      const { id: projectId } = await projects.find(project);
      const id = `key_${randomText(16)}`;
      const blank = { signing_secret: null, regenerated_at: null, revoked_at: null };
      const named = { id, project_id: projectId, name: checkedName(name), environment };
      await queries
        .insertInto('api_keys')
        .values({ ...named, prefix, hash, created_at: now(), ...blank })
        .execute();
      return { key, ...(await find(id)) };
    },
    async list(project) {
      if (project === undefined) return (await present.execute()).map(keyOf);
      const { id } = await projects.find(project);
      return (await present.where('project_id', '=', id).execute()).map(keyOf);
    },
    find,
    async regenerate(idOrPrefix) {
      const { id, environment } = await find(idOrPrefix);
      const { key, prefix, hash } = createApiKey(environment);
      return { key, ...(await change(id, { prefix, hash, regenerated_at: now() })) };
    },
    revoke: (idOrPrefix) => change(idOrPrefix, { revoked_at: now() }),
    rename: (idOrPrefix, name) => change(idOrPrefix, { name: checkedName(name) }),
    async requireSignature(idOrPrefix) {
      const signingSecret = `ss_${randomText(40)}`;
      return { ...(await change(idOrPrefix, { signing_secret: signingSecret })), signingSecret };
    },
    dropSignature: (idOrPrefix) => change(idOrPrefix, { signing_secret: null }),
  };
}

function keyOf(row: ApiKeyRow & { project_name: string }): Key {
  return {
    id: row.id,
    name: row.name,
    project: { id: row.project_id, name: row.project_name },
    environment: row.environment as Environment,
    prefix: row.prefix,
    signed: row.signing_secret !== null,
    createdAt: row.created_at,
    regeneratedAt: row.regenerated_at,
    revokedAt: row.revoked_at,
  };
}

function checkedEnvironment(environment: string): Environment {
  if (environment === 'live' || environment === 'test') return environment;
  throw new ServiceError('invalid_value', {
    message: `"${environment}" is not an environment. Choose live or test.`,
    param: 'environment',
  });
}
