import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareLedger } from '../../bench/service/ledger-check.ts';
import { createServiceFolder } from '../../bench/service/service-folder.ts';
import { createLedger } from '../../src/accounts/ledger/ledger.ts';

test('a ledger that is not the sum of the answers is found out, whichever way it is wrong', async () => {
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'professional');
  const period = { month: '2026-11', day: '2026-11-15' };
  const request = (requestId: string) => ({ requestId, keyId: key!.id, quotaMs: undefined, period });
  await folder.withDatabase(async (database) => {
    const ledger = createLedger({ database, instance: 'test' });
    await ledger.settle(request('answered'), 5000);
    await ledger.settle(request('too little'), 4999);
    await ledger.settle(request('nobody was answered'), 5000);
  });
  const answer = (requestId: string, status = 200) => ({
    requestId,
    status,
    headers: {},
    body: status === 200 ? '{"duration":5}' : '{}',
  });
  const right = [answer('answered'), answer('refused', 429)];
  assert.deepEqual(await compareLedger(folder, [...right, answer('too little'), answer('not charged')]), [
    'too little was answered with 5000 ms and charged [4999]',
    'not charged was answered with 5000 ms and charged []',
    'nobody was answered was charged and not answered',
  ]);

  await folder.withDatabase(async (database) => {
    await createLedger({ database, instance: 'test' }).reserve(request('held'), 30_000);
    await database.queries.updateTable('balances').set({ used_ms: 1 }).execute();
  });
  const held = await compareLedger(folder, right);
  assert.deepEqual(held.slice(-2), [
    'held still holds a reservation',
    `${key!.id}: 14999 ms charged, balance 1 and 30000 held, days 14999`,
  ]);
});
