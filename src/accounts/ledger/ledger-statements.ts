/**
 * The changes of the ledger, each one statement that both engines run. All transactions take their locks in the same
 * order, so that they cannot deadlock: entry, reservation, balance, day.
 */
import { type Kysely, sql } from 'kysely';
import type { LedgerEntryRow, ReservationRow, Tables } from '../../storage/tables.ts';

type Queries = Kysely<Tables>;
type BalanceId = { keyId: string; month: string };

/** Adds to what a request holds; the first time it opens the reservation. */
export async function hold(queries: Queries, reservation: ReservationRow): Promise<void> {
  await queries
    .insertInto('reservations')
    .values(reservation)
    .onConflict((conflict) =>
      conflict.column('request_id').doUpdateSet((set) => ({
        reserved_ms: set('reservations.reserved_ms', '+', reservation.reserved_ms),
        expires_at_ms: reservation.expires_at_ms,
      })),
    )
    .execute();
}

/** Deletes the reservation and gives its row; undefined when there was none. */
export function takeReservation(queries: Queries, requestId: string): Promise<ReservationRow | undefined> {
  return queries
    .deleteFrom('reservations')
    .where('request_id', '=', requestId)
    .returningAll()
    .executeTakeFirst();
}

/** Changes nothing and gives false when used, reserved and these milliseconds together would pass the quota. */
export async function addReserved(
  queries: Queries,
  { keyId, month }: BalanceId,
  { reserveMs, quotaMs }: { reserveMs: number; quotaMs: number },
): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO balances (key_id, month, used_ms, reserved_ms)
    SELECT CAST(${keyId} AS TEXT), CAST(${month} AS TEXT), 0, CAST(${reserveMs} AS BIGINT)
    WHERE CAST(${reserveMs} AS BIGINT) <= CAST(${quotaMs} AS BIGINT)
    ON CONFLICT (key_id, month) DO UPDATE SET reserved_ms = balances.reserved_ms + excluded.reserved_ms
    WHERE balances.used_ms + balances.reserved_ms + excluded.reserved_ms <= CAST(${quotaMs} AS BIGINT)
    RETURNING key_id`.execute(queries);
  return rows.length > 0;
}

/** Replaces what was held by a charge. What had been held is always granted; more only within the quota. */
export async function chargeHeld(
  queries: Queries,
  { keyId, month }: BalanceId,
  { chargeMs, heldMs, quotaMs }: { chargeMs: number; heldMs: number; quotaMs: number },
): Promise<boolean> {
  // A charge that is not above what was held is always allowed, whatever the quota is.
  const limitMs = chargeMs <= heldMs ? Number.MAX_SAFE_INTEGER : quotaMs;
  const { rows } = await sql`
    INSERT INTO balances (key_id, month, used_ms, reserved_ms)
    SELECT CAST(${keyId} AS TEXT), CAST(${month} AS TEXT), CAST(${chargeMs} AS BIGINT), 0
    WHERE CAST(${chargeMs} AS BIGINT) <= CAST(${limitMs} AS BIGINT)
    ON CONFLICT (key_id, month) DO UPDATE
    SET used_ms = balances.used_ms + excluded.used_ms,
        reserved_ms = balances.reserved_ms - CAST(${heldMs} AS BIGINT)
    WHERE balances.used_ms + balances.reserved_ms - CAST(${heldMs} AS BIGINT) + excluded.used_ms
      <= CAST(${limitMs} AS BIGINT)
    RETURNING key_id`.execute(queries);
  return rows.length > 0;
}

export async function giveBack(queries: Queries, { keyId, month }: BalanceId, heldMs: number): Promise<void> {
  await queries
    .updateTable('balances')
    .set((set) => ({ reserved_ms: set('reserved_ms', '-', heldMs) }))
    .where('key_id', '=', keyId)
    .where('month', '=', month)
    .execute();
}

/** False when the request had been settled before. */
export async function addEntry(queries: Queries, entry: LedgerEntryRow): Promise<boolean> {
  const added = await queries
    .insertInto('ledger_entries')
    .values(entry)
    .onConflict((conflict) => conflict.doNothing())
    .returning('request_id')
    .executeTakeFirst();
  return added !== undefined;
}

/** Charges a stream more as it goes on. False when it was not charged exactly `fromMs` so far. */
export async function raiseEntry(
  queries: Queries,
  requestId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<boolean> {
  const raised = await queries
    .updateTable('ledger_entries')
    .set({ milliseconds: toMs })
    .where('request_id', '=', requestId)
    .where('kind', '=', 'settle')
    .where('milliseconds', '=', fromMs)
    .returning('request_id')
    .executeTakeFirst();
  return raised !== undefined;
}

export async function addToDay(
  queries: Queries,
  { keyId, day, usedMs, requests }: { keyId: string; day: string; usedMs: number; requests: number },
): Promise<void> {
  await queries
    .insertInto('daily_usage')
    .values({ key_id: keyId, day, used_ms: usedMs, requests })
    .onConflict((conflict) =>
      conflict.columns(['key_id', 'day']).doUpdateSet((set) => ({
        used_ms: set('daily_usage.used_ms', '+', usedMs),
        requests: set('daily_usage.requests', '+', requests),
      })),
    )
    .execute();
}

/**
 * Deletes the charge for a request and gives its row; undefined when there was none. It adds a row first: when another
 * transaction is still adding the charge, the unique index makes this one wait for it.
 */
export async function takeCharge(
  queries: Queries,
  entry: LedgerEntryRow,
): Promise<LedgerEntryRow | undefined> {
  const wasCharged = !(await addEntry(queries, entry));
  const taken = await queries
    .deleteFrom('ledger_entries')
    .where('request_id', '=', entry.request_id)
    .where('kind', '=', 'settle')
    .returningAll()
    .executeTakeFirst();
  return wasCharged ? taken : undefined;
}

export async function takeFromBalance(
  queries: Queries,
  { keyId, month }: BalanceId,
  usedMs: number,
): Promise<void> {
  await queries
    .updateTable('balances')
    .set((set) => ({ used_ms: set('used_ms', '-', usedMs) }))
    .where('key_id', '=', keyId)
    .where('month', '=', month)
    .execute();
}
