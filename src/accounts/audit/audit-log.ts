import type { Kysely } from 'kysely';
import type { AuditAction, AuditEntry, AuditPage } from '../../../wire/console.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { AuditEntryRow, Tables } from '../../storage/tables.ts';
import { randomText } from '../keys/api-key.ts';

/** Who changes something, and from where. */
export type Actor = {
  source: AuditEntry['source'];
  name: string;
  userId?: string | undefined;
  /** Of the browser, or the name of the machine on which a command is run. */
  address?: string | undefined;
};

export type Change = {
  action: AuditAction;
  target?: { id?: string; name?: string };
  details?: Record<string, string>;
};

/** For changes that nobody asked for by name, such as those of a test or of the first start. */
export const serviceActor: Actor = { source: 'service', name: 'service' };

export type AuditQuery = { before?: string | undefined; limit?: number | undefined };

export type ReadAuditLog = (query?: AuditQuery) => Promise<AuditPage>;

const usualLimit = 50;
const mostAtOnce = 1000;

/** To be called in the transaction of the change, so that there is none without an entry and no entry without a change. */
export async function addAuditEntry(
  queries: Kysely<Tables>,
  { actor, change, nowMs }: { actor: Actor; change: Change; nowMs: number },
): Promise<void> {
  await queries
    .insertInto('audit_entries')
    .values({
      id: `audit_${randomText(16)}`,
      at_ms: nowMs,
      source: actor.source,
      actor: actor.name,
      actor_id: actor.userId ?? null,
      address: actor.address ?? null,
      action: change.action,
      target_id: change.target?.id ?? null,
      target_name: change.target?.name ?? null,
      details: change.details ? JSON.stringify(change.details) : null,
    })
    .execute();
}

export function createAuditReader({ database }: { database: Database }): ReadAuditLog {
  return async ({ before, limit = usualLimit } = {}) => {
    if (!(limit >= 1 && limit <= mostAtOnce))
      throw new ServiceError('invalid_value', {
        param: 'limit',
        message: `limit must be between 1 and ${mostAtOnce}.`,
      });
    let query = database.queries.selectFrom('audit_entries').selectAll();
    if (before !== undefined) {
      const { atMs, id } = positionOf(before);
      query = query.where((where) =>
        where.or([where('at_ms', '<', atMs), where.and([where('at_ms', '=', atMs), where('id', '<', id)])]),
      );
    }
    const rows = await query
      .orderBy('at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      entries: shown.map(entryOf),
      next: last && rows.length > limit ? `${last.at_ms}-${last.id}` : null,
    };
  };
}

function positionOf(text: string): { atMs: number; id: string } {
  const [, atMs, id] = /^(\d{1,15})-(audit_[A-Za-z0-9]{16})$/.exec(text) ?? [];
  if (atMs !== undefined && id !== undefined) return { atMs: Number(atMs), id };
  throw new ServiceError('invalid_value', {
    param: 'before',
    message: 'before must be the `next` of an earlier answer.',
  });
}

function entryOf(row: AuditEntryRow): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at_ms).toISOString(),
    source: row.source as AuditEntry['source'],
    actor: row.actor,
    address: row.address,
    action: row.action as AuditAction,
    target: { id: row.target_id, name: row.target_name },
    details: row.details === null ? null : JSON.parse(row.details),
  };
}
