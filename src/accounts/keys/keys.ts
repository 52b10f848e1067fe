import type { Environment, KeyScope } from '../../../wire/account.ts';
import type { Key, NewKey } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { ApiKeyRow } from '../../storage/tables.ts';
import { checkedName } from '../projects/checked-name.ts';
import type { Projects } from '../projects/projects.ts';
import { createApiKey, randomText } from './api-key.ts';
import { checkedExpiry, checkedGrace, checkedScopes } from './key-limits.ts';
import { createSigningSecrets, type SigningSecrets } from './signing-secrets.ts';

export interface Keys {
  create(key: NewKeyRequest): Promise<NewKey>;
  /** Of one project, or of all; the revoked ones too, since they have usage. Those of the playground only when asked for. */
  list(project?: string, options?: { playground?: boolean }): Promise<Key[]>;
  /** By id, or by prefix when only one key has it. Throws not_found. */
  find(idOrPrefix: string): Promise<Key>;
  /** The old key fails at once; id, usage and signing secret stay. */
  regenerate(idOrPrefix: string): Promise<NewKey>;
  /** The same, but the old key is valid for so long still. A key that was rolled before and is still valid then fails at once. */
  roll(idOrPrefix: string, graceMs: number): Promise<NewKey>;
  revoke(idOrPrefix: string): Promise<Key>;
  rename(idOrPrefix: string, name: string): Promise<Key>;
  /** From now on requests must be signed with the secret that it returns. The secret replaces any earlier one. */
  requireSignature(idOrPrefix: string): Promise<Key & { signingSecret: string }>;
  dropSignature(idOrPrefix: string): Promise<Key>;
}

export type NewKeyRequest = {
  project: string;
  environment: string;
  name?: string;
  /** An ISO 8601 time, or a day. Without it the key is valid until it is revoked. */
  expiresAt?: string | null | undefined;
  /** Without them the key may do everything. */
  scopes?: readonly string[] | null | undefined;
};

type Options = {
  database: Database;
  clock: { now(): number };
  projects: Projects;
  signingSecrets?: () => Promise<SigningSecrets>;
};

export function createKeys({ database: { queries }, clock, projects, ...options }: Options): Keys {
  const { signingSecrets = async () => createSigningSecrets(undefined) } = options;
  const now = () => new Date(clock.now()).toISOString();
  const present = queries
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .select('projects.name as project_name')
    // A key of an older version has not noted its uses. The day of its last charge is the best that is known.
    .select(({ selectFrom }) =>
      selectFrom('daily_usage')
        .select(({ fn }) => fn.max('day').as('day'))
        .whereRef('daily_usage.key_id', '=', 'api_keys.id')
        .as('last_charged_on'),
    )
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

  /** A new text for the same key. `previous` says what happens to the old one. */
  const replace = async (
    idOrPrefix: string,
    previous: (hash: string) => Pick<ApiKeyRow, 'previous_hash' | 'previous_expires_at'>,
  ): Promise<NewKey> => {
    const { id, environment, expiresAt } = await find(idOrPrefix);
    if (expiresAt !== null && expiresAt <= now())
      throw new ServiceError('not_found', { message: `The key ${id} has expired. Create a new one.` });
    const { key, prefix, hash } = createApiKey(environment);
    const { hash: oldHash } = await queries
      .selectFrom('api_keys')
      .select('hash')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { key, ...(await change(id, { prefix, hash, regenerated_at: now(), ...previous(oldHash) })) };
  };

  return {
    async create({ project, environment, name = 'key', ...limits }) {
      const expires_at = checkedExpiry(limits.expiresAt, clock.now());
      const scopes = checkedScopes(limits.scopes);
      const { key, prefix, hash } = createApiKey(checkedEnvironment(environment));
      const { id: projectId } = await projects.find(project);
      const id = `key_${randomText(16)}`;
      const named = { id, project_id: projectId, name: checkedName(name), environment };
      await queries
        .insertInto('api_keys')
        .values({ ...named, prefix, hash, created_at: now(), expires_at, scopes })
        .execute();
      return { key, ...(await find(id)) };
    },
    async list(project, { playground = false } = {}) {
      const wanted = playground ? present : present.where('playground_session', 'is', null);
      if (project === undefined) return (await wanted.execute()).map(keyOf);
      const { id } = await projects.find(project);
      return (await wanted.where('project_id', '=', id).execute()).map(keyOf);
    },
    find,
    regenerate: (idOrPrefix) => replace(idOrPrefix, () => noPrevious),
    roll(idOrPrefix, graceMs) {
      const previous_expires_at = new Date(clock.now() + checkedGrace(graceMs)).toISOString();
      return replace(idOrPrefix, (previous_hash) => ({ previous_hash, previous_expires_at }));
    },
    revoke: (idOrPrefix) => change(idOrPrefix, { revoked_at: now(), ...noPrevious }),
    rename: (idOrPrefix, name) => change(idOrPrefix, { name: checkedName(name) }),
    async requireSignature(idOrPrefix) {
      const signingSecret = `ss_${randomText(40)}`;
      const { id } = await find(idOrPrefix);
      const signing_secret = (await signingSecrets()).close(id, signingSecret);
      return { ...(await change(id, { signing_secret })), signingSecret };
    },
    dropSignature: (idOrPrefix) => change(idOrPrefix, { signing_secret: null }),
  };
}

const noPrevious = { previous_hash: null, previous_expires_at: null };

function keyOf(row: ApiKeyRow & { project_name: string; last_charged_on: string | null }): Key {
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
    expiresAt: row.expires_at,
    scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as KeyScope[]),
    previousUntil: row.previous_expires_at,
    lastUsedAt: row.last_used_at ?? row.last_charged_on,
    playground: row.playground_session !== null,
  };
}

function checkedEnvironment(environment: string): Environment {
  if (environment === 'live' || environment === 'test') return environment;
  throw new ServiceError('invalid_value', {
    message: `"${environment}" is not an environment. Choose live or test.`,
    param: 'environment',
  });
}
