import { timingSafeEqual } from 'node:crypto';
import type { Environment, KeyScope, PlanId } from '../../../wire/account.ts';
import type { Database } from '../../storage/database.ts';
import { createVersionedCache } from '../../storage/versioned-cache.ts';
import type { Admitted } from '../admission.ts';
import { createAddressCheck } from './allow-list.ts';
import { hashOf } from './api-key.ts';
import { createSigningSecrets, type SigningSecrets } from './signing-secrets.ts';

/** A key that is in force, with all that decides what its requests may do. */
export type KnownKey = {
  admitted: Admitted;
  /** Of the text by which it was found, which may be the one before the key was rolled. */
  hash: string;
  signingSecret: string | undefined;
  /** When that text stops being valid. Undefined is never. */
  endsAtMs: number | undefined;
  /** Undefined is everything. */
  scopes: readonly KeyScope[] | undefined;
  allowsAddress(address: string): boolean;
};

export interface KeyLookup {
  find(key: string): Promise<KnownKey | undefined>;
  findByHash(hash: string): Promise<KnownKey | undefined>;
  /** What the keys in force among these hashes allow at the moment. */
  stillValid(hashes: readonly string[]): Promise<ReadonlyMap<string, KeyTerms>>;
}

/** What may change while requests of a key are under way. */
export type KeyTerms = Pick<KnownKey, 'scopes' | 'allowsAddress'> & { plan: PlanId };

type Validity = {
  hash: string;
  previous_hash: string | null;
  previous_expires_at: string | null;
  expires_at: string | null;
  playground_session: string | null;
  session_expires_at_ms: number | null;
};

type Options = {
  database: Database;
  clock?: { now(): number };
  signingSecrets?: Pick<SigningSecrets, 'open'>;
};

export function createKeyLookup({ database, clock = Date, ...options }: Options): KeyLookup {
  const { signingSecrets = createSigningSecrets(undefined) } = options;
  const cache = createVersionedCache<KnownKey>({ database });
  const unrevoked = database.queries
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('accounts', 'accounts.id', 'projects.account_id')
    .leftJoin('sign_in_sessions', 'sign_in_sessions.hash', 'api_keys.playground_session')
    .where('api_keys.revoked_at', 'is', null)
    .where('projects.deleted_at', 'is', null)
    .select(['api_keys.hash', 'previous_hash', 'previous_expires_at', 'expires_at', 'playground_session'])
    .select('sign_in_sessions.expires_at_ms as session_expires_at_ms');

  const isNow = (endsAtMs: number | undefined) => endsAtMs === undefined || endsAtMs > clock.now();

  const load = async (hash: string): Promise<KnownKey | undefined> => {
    const row = await unrevoked
      .where((where) => where.or([where('api_keys.hash', '=', hash), where('previous_hash', '=', hash)]))
      .select([
        'api_keys.id',
        'prefix',
        'environment',
        'signing_secret',
        'api_keys.created_at',
        'scopes',
        'plan',
      ])
      .select(['allow_list', 'project_id', 'projects.name as project_name'])
      .select(['account_id', 'accounts.name as account_name'])
      .executeTakeFirst();
    return (
      row && {
        admitted: Object.freeze({
          account: { id: row.account_id, name: row.account_name },
          project: { id: row.project_id, name: row.project_name },
          key: { id: row.id, prefix: row.prefix, createdAt: row.created_at },
          environment: row.environment as Environment,
          plan: row.plan as PlanId,
        }),
        hash: row.hash === hash ? row.hash : row.previous_hash!,
        endsAtMs: endOf(row, hash),
        scopes: row.scopes === null ? undefined : JSON.parse(row.scopes),
        signingSecret:
          row.signing_secret === null ? undefined : signingSecrets.open(row.id, row.signing_secret),
        allowsAddress: createAddressCheck(JSON.parse(row.allow_list)),
      }
    );
  };

  const findByHash = async (hash: string) => {
    const known = await cache.get(hash, () => load(hash));
    if (!known || !timingSafeEqual(Buffer.from(known.hash), Buffer.from(hash))) return undefined;
    return isNow(known.endsAtMs) ? known : undefined;
  };

  return {
    find: (key) => findByHash(hashOf(key)),
    findByHash,
    async stillValid(hashes) {
      const rows = await unrevoked
        .where((where) =>
          where.or([where('api_keys.hash', 'in', hashes), where('previous_hash', 'in', hashes)]),
        )
        .select(['scopes', 'plan', 'allow_list'])
        .execute();
      const texts = rows.flatMap((row) =>
        [row.hash, row.previous_hash].flatMap((hash) => (hash === null ? [] : [{ row, hash }])),
      );
      const valid = texts.filter(({ row, hash }) => isNow(endOf(row, hash)));
      return new Map(valid.map(({ row, hash }) => [hash, termsOf(row)]));
    },
  };
}

function termsOf({
  scopes,
  plan,
  allow_list,
}: {
  scopes: string | null;
  plan: string;
  allow_list: string;
}): KeyTerms {
  return {
    scopes: scopes === null ? undefined : JSON.parse(scopes),
    plan: plan as PlanId,
    allowsAddress: createAddressCheck(JSON.parse(allow_list)),
  };
}

/** When the text with this hash stops being valid: with its key, with the time it was given, or with its console session. */
function endOf(row: Validity, hash: string): number | undefined {
  const ends = [
    row.expires_at === null ? [] : Date.parse(row.expires_at),
    row.hash === hash ? [] : Date.parse(row.previous_expires_at ?? ''),
    row.playground_session === null ? [] : (row.session_expires_at_ms ?? 0),
  ].flat();
  // A time that cannot be read is one that has passed.
  return ends.length === 0 ? undefined : Math.min(...ends.map((end) => (Number.isNaN(end) ? 0 : end)));
}
