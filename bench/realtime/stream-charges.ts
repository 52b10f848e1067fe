import type { Database } from '../../src/storage/database.ts';
import type { StreamFate } from './stream-fate.ts';

type WithDatabase = <Result>(look: (database: Database) => Promise<Result>) => Promise<Result>;

/** Every way in which the ledger is not the sum of what the streams were told. */
export function compareCharges(withDatabase: WithDatabase, fates: StreamFate[]): Promise<string[]> {
  return withDatabase(async ({ queries }) => {
    const differences: string[] = [];
    const entries = await queries
      .selectFrom('ledger_entries')
      .selectAll()
      .where('kind', '=', 'settle')
      .execute();
    for (const { name, sessionId, billedSeconds, sentSeconds } of fates) {
      if (sessionId === undefined) continue;
      const charged = entries.filter(({ request_id }) => request_id === sessionId);
      const seconds = charged.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
      if (charged.length > 1) differences.push(`${name}: charged ${charged.length} times`);
      if (billedSeconds !== undefined && Math.abs(seconds - billedSeconds) > 0.002)
        differences.push(`${name}: told ${billedSeconds} s and charged ${seconds} s`);
      if (seconds > sentSeconds + 0.002)
        differences.push(`${name}: charged ${seconds} s of ${sentSeconds} s`);
    }
    const held = await queries.selectFrom('reservations').selectAll().execute();
    for (const { request_id } of held) differences.push(`${request_id} still holds a reservation`);
    const balances = await queries.selectFrom('balances').selectAll().execute();
    for (const { key_id, used_ms, reserved_ms } of balances) {
      const ofKey = entries.filter((entry) => entry.key_id === key_id);
      const charged = ofKey.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
      if (used_ms !== charged || reserved_ms !== 0)
        differences.push(`${key_id}: ${charged} ms charged, balance ${used_ms} and ${reserved_ms} held`);
    }
    return differences;
  });
}
