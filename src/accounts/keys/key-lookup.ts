import { timingSafeEqual } from 'node:crypto';
import type { Environment, PlanId } from '../../../wire/account.ts';
import type { Database } from '../../storage/database.ts';
import { createVersionedCache } from '../../storage/versioned-cache.ts';
import type { Admitted } from '../admission.ts';
import { createAddressCheck } from './allow-list.ts';
import { hashOf } from './api-key.ts';

/** A key that is in force, with all that decides what its requests may do. */
export type KnownKey = {
  admitted: Admitted;
  hash: string;
  signingSecret: string | undefined;
  allowsAddress(address: string): boolean;
};

export interface KeyLookup {
  find(key: string): Promise<KnownKey | undefined>;
  findByHash(hash: string): Promise<KnownKey | undefined>;
  /** Which of these hashes still belong to a key in force. */
  stillValid(hashes: readonly string[]): Promise<Set<string>>;
}

export function createKeyLookup({ database }: { database: Database }): KeyLookup {
  const cache = createVersionedCache<KnownKey>({ database });
  const inForce = database.queries
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('accounts', 'accounts.id', 'projects.account_id')
    .where('api_keys.revoked_at', 'is', null)
    .where('projects.deleted_at', 'is', null);

  const load = async (hash: string): Promise<KnownKey | undefined> => {
    const row = await inForce
      .where('api_keys.hash', '=', hash)
      .select([
        'api_keys.id',
        'prefix',
        'hash',
        'environment',
        'signing_secret',
        'api_keys.created_at',
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
        hash: row.hash,
        signingSecret: row.signing_secret ?? undefined,
        allowsAddress: createAddressCheck(JSON.parse(row.allow_list)),
      }
    );
  };

  const findByHash = async (hash: string) => {
    const known = await cache.get(hash, () => load(hash));
    return known && timingSafeEqual(Buffer.from(known.hash), Buffer.from(hash)) ? known : undefined;
  };

  return {
    find: (key) => findByHash(hashOf(key)),
    findByHash,
    async stillValid(hashes) {
      const rows = await inForce.select('hash').where('hash', 'in', hashes).execute();
      return new Set(rows.map((row) => row.hash));
    },
  };
}
