import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Admitted } from '../../src/accounts/admission.ts';
import { plans } from '../../src/accounts/projects/plans.ts';
import type { Environment } from '../../wire/account.ts';
import { type AccountTestbed, createAccountTestbed } from '../support/accounts.ts';
import type { CreateDatabase } from '../support/both-engines.ts';

export function usageContract(create: CreateDatabase): void {
  it('shows the account of a key as the contract has it', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key, id, prefix, createdAt } = await testbed.createKey();
    const admitted = await use(testbed, key, [44.5]);
    assert.deepEqual(await testbed.views.readAccount(admitted), {
      id: testbed.project.accountId,
      name: 'default',
      environment: 'test',
      project: { id: testbed.project.id, name: 'default' },
      plan: 'free',
      key: { id, prefix, createdAt },
      usage: { currentMonth: 0.74, quota: 1000, remaining: 999.26, resetDate: '2026-12-01T00:00:00.000Z' },
      rateLimit: { requestsPerSecond: 5, concurrentConnections: 2 },
    });
  });

  it('has no quota and nothing remaining to count down without a limit', async () => {
    await using testbed = await createAccountTestbed(create);
    await testbed.accounts.projects.setPlan('default', 'enterprise');
    const admitted = await use(testbed, (await testbed.createKey()).key, [60]);
    const { usage } = await testbed.views.readAccount(admitted);
    assert.deepEqual([usage.currentMonth, usage.quota, usage.remaining], [1, null, null]);
  });

  it('reports to operators what is left of the plans that the service has', async () => {
    const free = { ...plans.free, quotaMinutes: 10 };
    await using testbed = await createAccountTestbed(create, { plans: { ...plans, free } });
    await use(testbed, (await testbed.createKey()).key, [60]);
    const { keys } = await testbed.readUsageReport({});
    assert.deepEqual(
      keys.map(({ minutes, quota, remaining }) => [minutes, quota, remaining]),
      [[1, 10, 9]],
    );
  });

  it('counts each key and environment for itself, and a regenerated key goes on where it was', async () => {
    await using testbed = await createAccountTestbed(create);
    const [test, live] = [await testbed.createKey('test'), await testbed.createKey('live')];
    const inTest = await use(testbed, test.key, [60]);
    const inLive = await use(testbed, live.key, [120, 120], 'live');
    assert.equal((await testbed.views.readUsage(inTest)).currentMonth, 1);
    assert.deepEqual(await testbed.views.readUsage(inLive), {
      currentMonth: 4,
      quota: 1000,
      remaining: 996,
      resetDate: '2026-12-01T00:00:00.000Z',
      environment: 'live',
      daily: [{ date: '2026-11-15', minutes: 4, requests: 2 }],
    });
    const again = await use(testbed, (await testbed.accounts.keys.regenerate(test.id)).key, [30]);
    assert.equal((await testbed.views.readUsage(again)).currentMonth, 1.5);
  });

  it('lists the days asked for, and begins the month anew', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key } = await testbed.createKey();
    let admitted: Admitted | undefined;
    for (const [time, seconds] of [
      ['2026-10-31T23:59:59Z', 60],
      ['2026-11-01T00:00:00Z', 61],
      ['2026-11-30T23:59:59Z', 62],
      ['2026-12-01T00:00:00Z', 63],
    ] as const) {
      testbed.clock.set(time);
      admitted = await use(testbed, key, [seconds]);
    }
    const days = async (from?: string, to?: string) =>
      (await testbed.views.readUsage(admitted!, { from, to })).daily.map(({ date, minutes }) => [
        date,
        minutes,
      ]);
    assert.deepEqual(await days(), [['2026-12-01', 1.05]]);
    assert.deepEqual(await days('2026-11-01'), [
      ['2026-11-01', 1.02],
      ['2026-11-30', 1.03],
      ['2026-12-01', 1.05],
    ]);
    assert.deepEqual(await days(undefined, '2026-11-29'), [['2026-11-01', 1.02]]);
    assert.deepEqual(await days('2026-10-31', '2026-10-31'), [['2026-10-31', 1]]);
    assert.deepEqual(await days('2027-01-01'), []);
    const usage = await testbed.views.readUsage(admitted!, { from: '2026-10-01', to: '2026-10-31' });
    assert.equal(usage.currentMonth, 1.05, 'the month is the current one, whatever the days');
    assert.equal(usage.resetDate, '2027-01-01T00:00:00.000Z');
  });

  it('refuses days that are none, and more than a year', async () => {
    await using testbed = await createAccountTestbed(create);
    const admitted = await use(testbed, (await testbed.createKey()).key, []);
    const refused = (range: { from?: string; to?: string }, param: string) =>
      assert.rejects(testbed.views.readUsage(admitted, range), { code: 'invalid_value', param });
    for (const day of [
      '',
      'today',
      '2026-1-1',
      '2026-02-29',
      '2026-13-01',
      '20261101',
      '2026-11-01T00:00:00Z',
    ]) {
      await refused({ from: day }, 'from');
      await refused({ to: day }, 'to');
    }
    await refused({ from: '2026-11-02', to: '2026-11-01' }, 'from');
    await refused({ from: '2025-11-14', to: '2026-11-15' }, 'from');
    await testbed.views.readUsage(admitted, { from: '2025-11-15', to: '2026-11-15' });
  });
}

/** Transcribes in pretence, one request after the other. */
async function use(
  testbed: AccountTestbed,
  key: string,
  seconds: number[],
  environment: Environment = 'test',
): Promise<Admitted> {
  const admit = () => testbed.gate.admit(testbed.credential(key, { environment }), 'connection');
  for (const each of seconds) {
    const lease = await admit();
    await lease.reserve(each);
    await lease.settle(each);
    await lease.close();
  }
  const lease = await admit();
  await lease.close();
  return lease.admitted;
}
