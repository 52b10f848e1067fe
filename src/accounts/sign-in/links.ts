import type { Kysely } from 'kysely';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { type Actor, addAuditEntry, serviceActor } from '../audit/audit-log.ts';
import { hashOf, randomText } from '../keys/api-key.ts';
import { createConsoleUsers } from './console-users.ts';
import { checkedRole } from './roles.ts';

export type LinkRequest = {
  /** Of the user that is made with it; an owner if nothing else is said. */
  role?: string | undefined;
  /** The name of the one user who can choose a new password with it. */
  user?: string | undefined;
  by?: Actor;
};

/** What a link is good for. */
export type Link = { role: string; userId: string | null };

const linkLifetimeMs = 24 * 3600 * 1000;

/** Links with which one person can choose a name and a password, once and within a day. Only their hashes are kept. */
export function createLinks({ database, clock }: { database: Database; clock: { now(): number } }) {
  const { queries } = database;
  const users = createConsoleUsers({ database, clock });
  return {
    async create({ role = 'owner', user, by = serviceActor }: LinkRequest = {}): Promise<string> {
      const link = randomText(43);
      const forUser = user === undefined ? undefined : await users.find(user);
      const given = checkedRole(role);
      await queries.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('sign_in_links').where('expires_at_ms', '<=', clock.now()).execute();
        await transaction
          .insertInto('sign_in_links')
          .values({
            hash: hashOf(link),
            expires_at_ms: clock.now() + linkLifetimeMs,
            role: given,
            user_id: forUser?.id ?? null,
          })
          .execute();
        const details: Record<string, string> = forUser ? {} : { role: given };
        const change = { action: 'user.link', details, ...(forUser && { target: forUser }) } as const;
        await addAuditEntry(transaction, { actor: by, change, nowMs: clock.now() });
      });
      return link;
    },
    async find(link: string): Promise<Link | undefined> {
      const row = await queries
        .selectFrom('sign_in_links')
        .select(['role', 'user_id'])
        .where('hash', '=', hashOf(link))
        .where('expires_at_ms', '>', clock.now())
        .executeTakeFirst();
      return row && { role: row.role, userId: row.user_id };
    },
    /** One statement finds the link and uses it up, so that only one of two people who come at once can use it. */
    async use(within: Kysely<Tables>, link: string): Promise<void> {
      const used = await within
        .deleteFrom('sign_in_links')
        .where('hash', '=', hashOf(link))
        .where('expires_at_ms', '>', clock.now())
        .returning('hash')
        .executeTakeFirst();
      if (!used) throw unknownLink();
    },
  };
}

export function unknownLink(): ServiceError {
  const message = 'This link was used already or is too old. Make a new one with: npx siann users link';
  return new ServiceError('not_found', { message });
}
