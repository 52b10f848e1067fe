import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporarySqlite } from '../../../bench/servers/temporary-database.ts';
import { periodAt } from '../../../src/accounts/ledger/calendar.ts';
import { createLedger } from '../../../src/accounts/ledger/ledger.ts';
import { createAccountTestbed } from '../../support/accounts.ts';
import { auditLedger } from '../../support/audit-ledger.ts';

test('a release that failed is tried again with the next renewal', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { database, clock } = testbed;
  const { id: keyId } = await testbed.createKey();
  const ledger = createLedger({ database, clock, instance: 'here' });
  const period = periodAt(clock.now());
  await ledger.reserve({ requestId: 'a', keyId, quotaMs: 60_000, period }, 30_000);
  await database.queries.schema.alterTable('balances').renameTo('hidden').execute();
  await assert.rejects(ledger.release('a'), /no such table/);
  await assert.rejects(ledger.renew(), /no such table/);
  await database.queries.schema.alterTable('hidden').renameTo('balances').execute();
  assert.equal((await auditLedger(database, keyId)).reservedMs, 30_000);
  await ledger.renew();
  assert.equal((await auditLedger(database, keyId)).reservedMs, 0);
});
