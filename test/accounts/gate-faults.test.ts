import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { temporarySqlite } from '../../bench/servers/temporary-database.ts';
import { type AccountTestbed, createAccountTestbed, startGate } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';

test('a request that fails inside the gate keeps no permit', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { key } = await testbed.createKey();
  const admit = () => testbed.gate.admit(testbed.credential(key), 'connection');
  await withoutTable(testbed, 'balances', async () => {
    for (let request = 0; request < 3; request += 1) await assert.rejects(admit(), /no such table/);
  });
  await admit();
  await admit();
});

test('a failed release gives the permit back all the same, and the next start gives back the rest', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { key, id } = await testbed.createKey();
  const admit = () => testbed.gate.admit(testbed.credential(key), 'connection');
  const [lease, other] = [await admit(), await admit()];
  await lease.reserve(5);
  await withoutTable(testbed, 'ledger_entries', () => assert.rejects(lease.close(), /no such table/));
  await (await admit()).close();
  await other.close();
  assert.equal((await auditLedger(testbed.database, id)).reservedMs, 30_000);
  await using _next = await startGate({ ...testbed, log: console, instance: 'here' });
  assert.equal((await auditLedger(testbed.database, id)).reservedMs, 0);
});

test('a lease that is closed does not learn that its key was revoked', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { key, id } = await testbed.createKey();
  const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
  const open = await testbed.gate.admit(testbed.credential(key), 'connection');
  await lease.close();
  assert.equal(lease.revoked.aborted, false);
  assert.equal(open.revoked.aborted, false);
  await testbed.accounts.keys.revoke(id);
  for (let tries = 0; tries < 250 && !open.revoked.aborted; tries += 1) await delay(20);
  assert.equal(open.revoked.aborted, true);
  assert.equal(lease.revoked.aborted, false);
  await open.close();
});

async function withoutTable(
  testbed: AccountTestbed,
  table: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const { schema } = testbed.database.queries;
  await schema.alterTable(table).renameTo('hidden').execute();
  await work();
  await schema.alterTable('hidden').renameTo(table).execute();
}
