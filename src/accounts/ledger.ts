import type { Kysely } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import type { Period } from './calendar.ts';
import {
  addEntry,
  addReserved,
  addToDay,
  chargeHeld,
  giveBack,
  hold,
  raiseEntry,
  takeReservation,
} from './ledger-statements.ts';

/** Who pays, and out of which month. */
export type LedgerRequest = {
  requestId: string;
  keyId: string;
  /** Undefined is without limit. */
  quotaMs: number | undefined;
  period: Period;
};

/** A stream is charged several times: what it was charged before, and whether it keeps the rest of what it holds. */
export type SoFar = { chargedMs: number; rest: 'kept' | 'given back' };

export interface Ledger {
  /** Holds `milliseconds` more for the request; false, holding nothing more, when the quota has no room for them. */
  reserve(request: LedgerRequest, milliseconds: number): Promise<boolean>;
  /**
   * Charges the request, in all, in place of what it held. Once: a charge that does not begin where the last one ended
   * changes nothing. False when the quota has no room.
   */
  settle(request: LedgerRequest, milliseconds: number, soFar?: SoFar): Promise<boolean>;
  /** Gives back what the request held, if anything. When that fails it is tried again with every renewal. */
  release(requestId: string): Promise<void>;
  /** Keeps what this instance's requests hold from expiring. */
  renew(): Promise<void>;
  /** Gives back what is held for requests that nobody renews any more. */
  releaseExpired(): Promise<void>;
  /** Gives back what this instance held when it last ended. To be called before it takes requests. */
  releaseOwn(): Promise<void>;
}

type Options = { database: Database; instance: string; clock?: { now(): number }; expireAfterMs?: number };

export function createLedger(options: Options): Ledger {
  const { database, instance, clock = Date, expireAfterMs = 60_000 } = options;
  const { queries } = database;
  const unreleased = new Set<string>();
  const durably: Database['hurried'] = (work) => queries.transaction().execute(work);
  const expiry = () => clock.now() + expireAfterMs;
  const recordedAt = () => new Date(clock.now()).toISOString();

  const giveUp = (requestId: string) =>
    database.hurried(async (transaction) => {
      const held = await takeReservation(transaction, requestId);
      if (!held) return;
      const { key_id, month, day, reserved_ms } = held;
      await giveBack(transaction, { keyId: key_id, month }, reserved_ms);
      const entry = { request_id: requestId, kind: 'release', key_id, day, milliseconds: reserved_ms };
      await addEntry(transaction, { ...entry, recorded_at: recordedAt() });
    });
  const releaseEach = async (reservations: { request_id: string }[]) => {
    for (const { request_id } of reservations) await giveUp(request_id);
  };

  return {
    reserve({ requestId, keyId, quotaMs = Number.MAX_SAFE_INTEGER, period }, milliseconds) {
      const { month, day } = period;
      const reservation = { request_id: requestId, key_id: keyId, month, day, reserved_ms: milliseconds };
      return allOrNothing(database.hurried, async (transaction) => {
        await hold(transaction, { ...reservation, instance, expires_at_ms: expiry() });
        return addReserved(transaction, { keyId, month }, { reserveMs: milliseconds, quotaMs });
      });
    },
    settle(request, milliseconds, { chargedMs, rest } = { chargedMs: 0, rest: 'given back' }) {
      const { requestId, keyId, quotaMs = Number.MAX_SAFE_INTEGER, period } = request;
      const { month, day } = period;
      const entry = { request_id: requestId, kind: 'settle', key_id: keyId, day, recorded_at: recordedAt() };
      const chargeMs = milliseconds - chargedMs;
      return allOrNothing(durably, async (transaction) => {
        const charged =
          chargedMs === 0
            ? await addEntry(transaction, { ...entry, milliseconds })
            : await raiseEntry(transaction, requestId, { fromMs: chargedMs, toMs: milliseconds });
        if (!charged) return true;
        const held = await takeReservation(transaction, requestId);
        const keptMs = rest === 'kept' && held ? Math.max(0, held.reserved_ms - chargeMs) : 0;
        if (held && keptMs > 0)
          await hold(transaction, { ...held, reserved_ms: keptMs, expires_at_ms: expiry() });
        const heldMs = (held?.reserved_ms ?? 0) - keptMs;
        if (!(await chargeHeld(transaction, { keyId, month }, { chargeMs, heldMs, quotaMs }))) return false;
        await addToDay(transaction, { keyId, day, usedMs: chargeMs, requests: chargedMs === 0 ? 1 : 0 });
        return true;
      });
    },
    async release(requestId) {
      unreleased.add(requestId);
      await giveUp(requestId);
      unreleased.delete(requestId);
    },
    async renew() {
      for (const requestId of unreleased) await giveUp(requestId).then(() => unreleased.delete(requestId));
      const mine = queries.updateTable('reservations').where('instance', '=', instance);
      await mine.set({ expires_at_ms: expiry() }).execute();
    },
    async releaseExpired() {
      const all = queries.selectFrom('reservations').select('request_id');
      await releaseEach(await all.where('expires_at_ms', '<=', clock.now()).execute());
    },
    async releaseOwn() {
      const all = queries.selectFrom('reservations').select('request_id');
      await releaseEach(await all.where('instance', '=', instance).execute());
    },
  };
}

/** Runs the statements in one transaction, and undoes them when they give false. */
async function allOrNothing(
  transact: Database['hurried'],
  statements: (transaction: Kysely<Tables>) => Promise<boolean>,
): Promise<boolean> {
  const refused = new Error('Undone on purpose.');
  try {
    return await transact(async (transaction) => {
      if (!(await statements(transaction))) throw refused;
      return true;
    });
  } catch (error) {
    if (error === refused) return false;
    throw error;
  }
}
