import type { Kysely } from 'kysely';
import type { ConsoleRole, ConsoleUser } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { type Actor, addAuditEntry, serviceActor } from '../audit/audit-log.ts';
import { checkedRole } from './roles.ts';

/** Who may use the console, and what they may do there. */
export interface ConsoleUsers {
  list(): Promise<ConsoleUser[]>;
  /** By name or id. Throws not_found. */
  find(nameOrId: string): Promise<ConsoleUser>;
  /** Ends the user's sessions, since they were opened with the old role. */
  setRole(nameOrId: string, role: string, by?: Actor): Promise<ConsoleUser>;
  remove(nameOrId: string, by?: Actor): Promise<ConsoleUser>;
}

/** The password of somebody who has none: no hash has this form. */
export const noPassword = 'none';

type Options = { database: Database; clock?: { now(): number } };

export function createConsoleUsers({ database: { queries }, clock = Date }: Options): ConsoleUsers {
  const findIn = async (within: Kysely<Tables>, nameOrId: string): Promise<ConsoleUser> => {
    const row = await within
      .selectFrom('console_users')
      .selectAll()
      .where((where) => where.or([where('name', '=', nameOrId), where('id', '=', nameOrId)]))
      .executeTakeFirst();
    if (!row)
      throw new ServiceError('not_found', {
        message: `There is no user "${nameOrId}". See: siann users list`,
      });
    return userOf(row);
  };
  /** The command line can make an owner at any time. In the console, somebody must be left who can. */
  const throwIfLastOwner = async (within: Kysely<Tables>, user: ConsoleUser, by: Actor): Promise<void> => {
    if (by.source !== 'console' || user.role !== 'owner') return;
    const other = await within
      .selectFrom('console_users')
      .select('id')
      .where('role', '=', 'owner')
      .where('id', '!=', user.id)
      .executeTakeFirst();
    if (other) return;
    throw new ServiceError('invalid_value', {
      param: 'role',
      message: 'This is the last owner. Make somebody else an owner first.',
    });
  };

  return {
    async list() {
      return (
        await queries.selectFrom('console_users').selectAll().orderBy('created_at').orderBy('name').execute()
      ).map(userOf);
    },
    find: (nameOrId) => findIn(queries, nameOrId),
    async setRole(nameOrId, wanted, by = serviceActor) {
      const role = checkedRole(wanted);
      return queries.transaction().execute(async (transaction) => {
        const user = await findIn(transaction, nameOrId);
        if (user.role === role) return user;
        await throwIfLastOwner(transaction, user, by);
        await transaction.updateTable('console_users').set({ role }).where('id', '=', user.id).execute();
        await endSessions(transaction, user.id);
        const change = { action: 'user.role', target: user, details: { from: user.role, to: role } } as const;
        await addAuditEntry(transaction, { actor: by, change, nowMs: clock.now() });
        return { ...user, role };
      });
    },
    remove: (nameOrId, by = serviceActor) =>
      queries.transaction().execute(async (transaction) => {
        const user = await findIn(transaction, nameOrId);
        await throwIfLastOwner(transaction, user, by);
        await endSessions(transaction, user.id);
        await transaction.deleteFrom('known_devices').where('user_id', '=', user.id).execute();
        await transaction.deleteFrom('sign_in_links').where('user_id', '=', user.id).execute();
        await transaction.deleteFrom('console_users').where('id', '=', user.id).execute();
        const change = { action: 'user.remove', target: user } as const;
        await addAuditEntry(transaction, { actor: by, change, nowMs: clock.now() });
        return user;
      }),
  };
}

export async function endSessions(queries: Kysely<Tables>, userId: string): Promise<void> {
  await queries.deleteFrom('sign_in_sessions').where('user_id', '=', userId).execute();
}

export function userOf(row: {
  id: string;
  name: string;
  role: string;
  password_hash: string;
  created_at: string;
}): ConsoleUser {
  return {
    id: row.id,
    name: row.name,
    role: row.role as ConsoleRole,
    hasPassword: row.password_hash !== noPassword,
    createdAt: row.created_at,
  };
}
