import type { Database } from '../../src/storage/database.ts';
import type { Answer } from './client.ts';
import type { ServiceFolder } from './service-folder.ts';

/**
 * Every way in which the ledger is not the sum of what was answered: a request answered and not charged, or charged otherwise
 * than its length, one charged that nobody was answered for, totals that are not their parts, something still held.
 */
export function compareLedger(
  { withDatabase }: Pick<ServiceFolder, 'withDatabase'>,
  answers: Answer[],
): Promise<string[]> {
  return withDatabase(async ({ queries }) => {
    const entries = await queries.selectFrom('ledger_entries').selectAll().execute();
    const settled = entries.filter(({ kind }) => kind === 'settle');
    const answered = new Map(
      answers
        .filter(({ status }) => status === 200)
        .map(({ requestId, body }) => [requestId, Math.round(JSON.parse(body).duration * 1000)]),
    );
    const differences: string[] = [];
    for (const [requestId, milliseconds] of answered) {
      const ofRequest = settled.filter(({ request_id }) => request_id === requestId);
      const charged = ofRequest.map((entry) => entry.milliseconds);
      if (charged.length !== 1 || charged[0] !== milliseconds)
        differences.push(
          `${requestId} was answered with ${milliseconds} ms and charged [${charged.join(', ')}]`,
        );
    }
    for (const { request_id } of settled)
      if (!answered.has(request_id)) differences.push(`${request_id} was charged and not answered`);

    return [...differences, ...(await compareTotals(queries))];
  });
}

/** Where balances and days are not the sums of what was charged, and whatever is still held. */
export async function compareTotals(queries: Database['queries']): Promise<string[]> {
  const settled = await queries
    .selectFrom('ledger_entries')
    .selectAll()
    .where('kind', '=', 'settle')
    .execute();
  const held = await queries.selectFrom('reservations').selectAll().execute();
  const differences = held.map(({ request_id }) => `${request_id} still holds a reservation`);
  const balances = await queries.selectFrom('balances').selectAll().execute();
  const days = await queries.selectFrom('daily_usage').selectAll().execute();
  for (const { key_id, used_ms, reserved_ms } of balances) {
    const ofKey = settled.filter((entry) => entry.key_id === key_id);
    const charged = ofKey.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const daily = days.filter((day) => day.key_id === key_id);
    const ofDays = daily.reduce((sum, day) => sum + day.used_ms, 0);
    const requests = daily.reduce((sum, day) => sum + day.requests, 0);
    if (used_ms !== charged || ofDays !== charged || requests !== ofKey.length || reserved_ms !== 0)
      differences.push(
        `${key_id}: ${charged} ms charged, balance ${used_ms} and ${reserved_ms} held, days ${ofDays}`,
      );
  }
  return differences;
}
