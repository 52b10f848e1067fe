import assert from 'node:assert/strict';
import type { Database } from '../../src/storage/database.ts';

export type Audit = {
  usedMs: number;
  reservedMs: number;
  /** Milliseconds by request. */
  settled: Map<string, number>;
};

/** Adds up what a key used from the entries, and asserts that everything kept beside them says the same. */
export async function auditLedger({ queries }: Database, keyId: string): Promise<Audit> {
  return queries.transaction().execute(async (transaction) => {
    const balances = await transaction
      .selectFrom('balances')
      .selectAll()
      .where('key_id', '=', keyId)
      .execute();
    const entries = await transaction
      .selectFrom('ledger_entries')
      .selectAll()
      .where('key_id', '=', keyId)
      .where('kind', '=', 'settle')
      .execute();
    const reservations = await transaction
      .selectFrom('reservations')
      .selectAll()
      .where('key_id', '=', keyId)
      .execute();
    const days = await transaction
      .selectFrom('daily_usage')
      .selectAll()
      .where('key_id', '=', keyId)
      .execute();

    const settled = new Map(entries.map((entry) => [entry.request_id, entry.milliseconds]));
    assert.equal(settled.size, entries.length, 'a request is settled once');
    for (const { month, used_ms, reserved_ms } of balances) {
      const inMonth = ({ day }: { day: string }) => day.startsWith(month);
      assert.equal(
        used_ms,
        sum(entries.filter(inMonth).map((entry) => entry.milliseconds)),
        `used in ${month}`,
      );
      assert.equal(used_ms, sum(days.filter(inMonth).map((day) => day.used_ms)), `days of ${month}`);
      const held = reservations.filter((reservation) => reservation.month === month);
      assert.equal(reserved_ms, sum(held.map((reservation) => reservation.reserved_ms)), `held in ${month}`);
    }
    assert.equal(sum(days.map((day) => day.requests)), entries.length);
    assert.ok(balances.length > 0 || (entries.length === 0 && reservations.length === 0));
    return {
      usedMs: sum(balances.map((balance) => balance.used_ms)),
      reservedMs: sum(balances.map((balance) => balance.reserved_ms)),
      settled,
    };
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
