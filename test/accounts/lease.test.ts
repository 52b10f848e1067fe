import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporarySqlite } from '../../bench/servers/temporary-database.ts';
import { plans } from '../../src/accounts/projects/plans.ts';
import { type AccountTestbed, createAccountTestbed } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';

test('audio is reserved in steps, and never less than was asked for', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, held } = await admitOne(testbed);
  await lease.reserve(0);
  assert.equal(await held(), undefined);
  await lease.reserve(0.5);
  assert.equal(await held(), 30_000);
  for (let seconds = 1; seconds <= 30; seconds += 1) await lease.reserve(seconds);
  assert.equal(await held(), 30_000);
  await lease.reserve(30.001);
  assert.equal(await held(), 60_000);
  await lease.reserve(3);
  await lease.reserve(400);
  assert.equal(await held(), 420_000);
  await lease.close();
  assert.equal(await held(), 0);
});

test('the last seconds of a quota can be used, though they are no whole step', async () => {
  const plan = { ...plans.free, quotaMinutes: 0.1 };
  await using testbed = await createAccountTestbed(temporarySqlite, { plans: { ...plans, free: plan } });
  const { lease, held } = await admitOne(testbed);
  for (const seconds of [1, 2.5, 6]) await lease.reserve(seconds);
  assert.equal(await held(), 6000);
  await assert.rejects(lease.reserve(6.001), { code: 'quota_exceeded' });
  await assert.rejects(lease.settle(7), { code: 'quota_exceeded' });
  await lease.settle(6);
  await lease.close();
});

test('a stream is charged as far as its quota reaches, and no further', async () => {
  const plan = { ...plans.free, quotaMinutes: 0.1 };
  await using testbed = await createAccountTestbed(temporarySqlite, { plans: { ...plans, free: plan } });
  const { lease, held, keyId } = await admitOne(testbed);
  await lease.reserve(5);
  assert.equal(await lease.settleUpToQuota(7), 5);
  await lease.close();
  assert.equal(await held(), 0);
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 5000);

  const { lease: next } = await admitOne(testbed);
  await next.reserve(1);
  assert.equal(await next.settleUpToQuota(0.5), 0.5);
  await next.close();
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 5000);
});

test('reservations that are asked for at once are taken one after the other', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, held } = await admitOne(testbed);
  await Promise.all([lease.reserve(5), lease.reserve(10), lease.reserve(29), lease.reserve(31)]);
  assert.equal(await held(), 60_000);
  await Promise.all([lease.settle(31), lease.close()]);
  assert.equal(await held(), 0);
});

test('a lease is settled within microtasks', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease } = await admitOne(testbed);
  await lease.reserve(12);
  let settled = false;
  const settling = lease.settle(12).then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(settled, true);
  await settling;
});

test('amounts that are none are refused before anything is written', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, held } = await admitOne(testbed);
  for (const seconds of [Number.NaN, -1, -0.001, Number.POSITIVE_INFINITY]) {
    await assert.rejects(lease.reserve(seconds), RangeError);
    await assert.rejects(lease.settle(seconds), RangeError);
  }
  assert.equal(await held(), undefined);
});

test('what is settled stays settled, and a closed lease takes nothing more', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, keyId } = await admitOne(testbed);
  await lease.settle(10);
  await lease.settle(10);
  await assert.rejects(lease.reserve(1), /is (settled|closed)/);
  await lease.close();
  await lease.close();
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 10_000);

  const other = await admitOne(testbed);
  await other.lease.close();
  await assert.rejects(other.lease.settle(1), /is closed/);
  await assert.rejects(other.lease.reserve(1), /is (settled|closed)/);
});

test('a stream is charged step by step, and the last charge gives back what is left', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, held, keyId } = await admitOne(testbed);
  await lease.settleSoFar(0);
  await lease.reserve(20);
  await lease.settleSoFar(14.5);
  await lease.settleSoFar(14.5);
  assert.equal(await held(), 15_500);
  await lease.reserve(31);
  assert.equal(await held(), 45_500);
  await assert.rejects(lease.settleSoFar(3), RangeError);
  await lease.settle(31);
  await assert.rejects(lease.settleSoFar(40), /is settled/);
  await lease.close();
  assert.equal(await held(), 0);
  const { usedMs, settled } = await auditLedger(testbed.database, keyId);
  assert.deepEqual([usedMs, settled.size], [31_000, 1]);
});

test('what a stream was charged stays charged when its lease is closed without a last charge', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, held, keyId } = await admitOne(testbed);
  await lease.reserve(20);
  await lease.settleSoFar(14);
  await lease.close();
  assert.equal(await held(), 0);
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 14_000);
});

test('a settlement that the database refuses is an error, and can be tried again', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { lease, keyId } = await admitOne(testbed);
  await lease.reserve(5);
  await testbed.database.queries.schema.alterTable('daily_usage').renameTo('gone').execute();
  await assert.rejects(lease.settle(5), /no such table/);
  await testbed.database.queries.schema.alterTable('gone').renameTo('daily_usage').execute();
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 0);
  await lease.settle(5);
  await lease.close();
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 5000);
});

test('without a quota nothing is reserved, and what was used is counted all the same', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  await testbed.accounts.projects.setPlan('default', 'enterprise');
  const { lease, held, keyId } = await admitOne(testbed);
  await lease.reserve(14_400);
  assert.equal(await held(), undefined);
  await lease.settle(14_400);
  await lease.close();
  assert.equal((await auditLedger(testbed.database, keyId)).usedMs, 14_400_000);
});

async function admitOne(testbed: AccountTestbed) {
  const { key, id: keyId } = await testbed.createKey();
  const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
  const held = async () => {
    const query = testbed.database.queries.selectFrom('balances').select('reserved_ms');
    return (await query.where('key_id', '=', keyId).executeTakeFirst())?.reserved_ms;
  };
  return { lease, held, keyId };
}
