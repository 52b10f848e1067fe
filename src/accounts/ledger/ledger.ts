import type { Kysely } from 'kysely';
import { hasCode } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import type { Period } from './calendar.ts';
import {
  addEntry,
  addReserved,
  addToDay,
  chargeHeld,
  giveBack,
  hold,
  raiseEntry,
  takeCharge,
  takeFromBalance,
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
  /** Holds `milliseconds` more for the request; false, holding nothing more, when the quota is too small for them. */
  reserve(request: LedgerRequest, milliseconds: number): Promise<boolean>;
  /**
   * Charges `milliseconds` in all to the request, instead of what it held. A charge counts once: one that does not begin
   * where the last one ended changes nothing. False when the quota is too small.
   */
  settle(request: LedgerRequest, milliseconds: number, soFar?: SoFar): Promise<boolean>;
  /** Gives back what the request held, if anything. When that fails it is tried again until it is done. */
  release(requestId: string): Promise<void>;
  /** The same for a request that got no answer, and that may have been charged although the database did not say so. */
  retract(request: LedgerRequest): Promise<void>;
  /** Does the work as soon as the database is back. The work may be done twice, and must then have the effect of once. */
  doLater(work: () => Promise<unknown>): void;
  /** Tries again what could not be done. */
  catchUp(): Promise<void>;
  /** Keeps what this instance's requests hold from expiring, and catches up. */
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
  const undone = new Set<() => Promise<unknown>>();
  const durably: Database['relaxedTransaction'] = (work) => queries.transaction().execute(work);
  const expiry = () => clock.now() + expireAfterMs;
  const recordedAt = () => new Date(clock.now()).toISOString();

  const finish = async (work: () => Promise<unknown>) => {
    undone.add(work);
    await work();
    undone.delete(work);
  };
  const doUndone = async () => {
    let failure: { error: unknown } | undefined;
    for (const work of undone) {
      try {
        await finish(work);
      } catch (error) {
        failure ??= { error };
        // The others could not be done now either.
        if (hasCode(error, 'unavailable')) break;
      }
    }
    if (failure) throw failure.error;
  };
  let catchingUp: Promise<void> | undefined;
  const catchUp = () => {
    catchingUp ??= doUndone().finally(() => {
      catchingUp = undefined;
    });
    return catchingUp;
  };
  // Durable, because a reservation that a crash of the database brought back would be renewed for ever.
  const giveUp = (requestId: string) => durably((transaction) => giveBackHeld(transaction, requestId));
  const giveBackHeld = async (transaction: Kysely<Tables>, requestId: string) => {
    const held = await takeReservation(transaction, requestId);
    if (!held) return;
    const { key_id, month, day, reserved_ms } = held;
    await giveBack(transaction, { keyId: key_id, month }, reserved_ms);
    const entry = { request_id: requestId, kind: 'release', key_id, day, milliseconds: reserved_ms };
    await addEntry(transaction, { ...entry, recorded_at: recordedAt() });
  };
  const releaseEach = async (reservations: { request_id: string }[]) => {
    for (const { request_id } of reservations) await giveUp(request_id);
  };

  return {
    reserve({ requestId, keyId, quotaMs = Number.MAX_SAFE_INTEGER, period }, milliseconds) {
      const { month, day } = period;
      const reservation = { request_id: requestId, key_id: keyId, month, day, reserved_ms: milliseconds };
      return allOrNothing(database.relaxedTransaction, async (transaction) => {
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
    release: (requestId) => finish(() => giveUp(requestId)),
    retract({ requestId, keyId, period: { month, day } }) {
      const entry = { request_id: requestId, kind: 'settle', key_id: keyId, day, milliseconds: 0 };
      return finish(() =>
        durably(async (transaction) => {
          const taken = await takeCharge(transaction, { ...entry, recorded_at: recordedAt() });
          await giveBackHeld(transaction, requestId);
          if (!taken) return;
          await takeFromBalance(transaction, { keyId, month }, taken.milliseconds);
          await addToDay(transaction, { keyId, day, usedMs: -taken.milliseconds, requests: -1 });
          await addEntry(transaction, { ...taken, kind: 'release', recorded_at: recordedAt() });
        }),
      );
    },
    doLater: (work) => void undone.add(work),
    catchUp,
    async renew() {
      const mine = queries.updateTable('reservations').where('instance', '=', instance);
      await mine.set({ expires_at_ms: expiry() }).execute();
      await catchUp();
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
  transact: Database['relaxedTransaction'],
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
