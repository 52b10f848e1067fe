import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../../bench/servers/postgres.ts';
import { periodAt } from '../../src/accounts/ledger/calendar.ts';
import { createLedger } from '../../src/accounts/ledger/ledger.ts';
import type { Database } from '../../src/storage/database.ts';
import { createAccountTestbed } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { cutCommitsOf } from '../support/commit-cutter.ts';

const server: PostgresServer | string = await startPostgres();

describe('while PostgreSQL is away', { skip: typeof server === 'string' ? server : false }, () => {
  const postgres = server as PostgresServer;
  after(() => postgres[Symbol.asyncDispose]());
  const createTestbed = () => createAccountTestbed(() => postgres.createDatabase());
  const createCutTestbed = async () => {
    const cutter = await cutCommitsOf(await postgres.createDatabase());
    return { cutter, testbed: await createAccountTestbed(async () => cutter) };
  };
  const unavailable = { code: 'unavailable', status: 503, wireCode: 'overloaded' };

  it('nobody is let in, quickly, and everybody again when it is back', async () => {
    await using testbed = await createTestbed();
    const { key } = await testbed.createKey();
    const admit = () => testbed.gate.admit(testbed.credential(key), 'connection');
    await (await admit()).close();
    await postgres.kill();
    const begunAt = performance.now();
    await assert.rejects(admit(), unavailable);
    await Promise.all(Array.from({ length: 20 }, () => assert.rejects(admit(), unavailable)));
    assert.ok(performance.now() - begunAt < 2000, `${performance.now() - begunAt} ms`);
    await postgres.start();
    await (await admit()).close();
  });

  it('a request that is answered after a short outage is charged once', async () => {
    await using testbed = await createTestbed();
    const { key, id } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    await lease.reserve(5);
    await postgres.kill();
    const settled = lease.settle(5);
    await delay(500);
    await postgres.start();
    await settled;
    await lease.close();
    const { usedMs, reservedMs } = await auditLedger(testbed.database, id);
    assert.deepEqual({ usedMs, reservedMs }, { usedMs: 5000, reservedMs: 0 });
  });

  it('a charge whose answer is lost is made once', async () => {
    const { cutter, testbed } = await createCutTestbed();
    await using _testbed = testbed;
    const { key, id } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    await lease.reserve(5);
    cutter.cutCommits = 2;
    await lease.settle(5);
    assert.equal(cutter.cutCommits, 0);
    await lease.close();
    const { usedMs, reservedMs, settled } = await auditLedger(testbed.database, id);
    assert.deepEqual(
      { usedMs, reservedMs, requests: settled.size },
      { usedMs: 5000, reservedMs: 0, requests: 1 },
    );
  });

  it('a stream goes on from a charge whose answer was lost, and is charged all of it once', async () => {
    const { cutter, testbed } = await createCutTestbed();
    await using _testbed = testbed;
    const { key, id } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    await lease.reserve(60);
    for (const seconds of [15, 20]) {
      cutter.cutCommits = 1;
      await assert.rejects(lease.settleSoFar(seconds), unavailable);
    }
    await lease.settleSoFar(30);
    await lease.settle(47);
    await lease.close();
    const { usedMs, reservedMs, settled } = await auditLedger(testbed.database, id);
    assert.deepEqual(
      { usedMs, reservedMs, requests: settled.size },
      { usedMs: 47_000, reservedMs: 0, requests: 1 },
    );
  });

  it('a request that cannot be answered is not charged, though a charge was made', async () => {
    const { cutter, testbed } = await createCutTestbed();
    await using _testbed = testbed;
    const { key, id } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    await lease.reserve(5);
    cutter.cutCommits = Number.POSITIVE_INFINITY;
    await assert.rejects(lease.settle(5), unavailable);
    const balances = testbed.database.queries.selectFrom('balances').select('used_ms');
    assert.deepEqual(await balances.execute(), [{ used_ms: 5000 }], 'it was made');
    await lease.close();
    cutter.cutCommits = 0;
    await delay(2500);
    const { usedMs, reservedMs, settled } = await auditLedger(testbed.database, id);
    assert.deepEqual(
      { usedMs, reservedMs, requests: settled.size },
      { usedMs: 0, reservedMs: 0, requests: 0 },
    );
  });

  it('a charge is taken back even when its commit comes later', async () => {
    await using testbed = await createTestbed();
    const { id } = await testbed.createKey();
    const { database, clock } = testbed;
    const period = periodAt(clock.now());
    const request = { requestId: 'late', keyId: id, quotaMs: undefined, period };
    const ledger = createLedger({ database, instance: 'here', clock });
    let commit = () => {};
    const late = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const slowly: Database['queries'] = Object.create(database.queries, {
      transaction: {
        value: () => ({
          execute: (work: (within: Database['queries']) => Promise<unknown>) =>
            database.queries.transaction().execute(async (within) => {
              const result = await work(within);
              await late;
              return result;
            }),
        }),
      },
    });
    const slow = createLedger({ database: { ...database, queries: slowly }, instance: 'here', clock });
    const settled = slow.settle(request, 5000);
    await delay(200);
    const retracted = ledger.retract(request);
    await delay(200);
    commit();
    await Promise.all([settled, retracted]);
    assert.deepEqual(await auditLedger(database, id), { usedMs: 0, reservedMs: 0, settled: new Map() });
  });

  it('what a stream owes is charged once it is back, and no more than its quota has', async () => {
    await using testbed = await createTestbed();
    const { key, id } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    const other = await testbed.gate.admit(testbed.credential(key), 'connection');
    await lease.reserve(20);
    await other.reserve(15);
    await postgres.kill();
    await assert.rejects(lease.settleSoFar(15), unavailable);
    await lease.owe(45);
    await other.owe(1_000 * 60);
    await lease.close();
    await other.close();
    await postgres.start();
    await delay(2500);
    const { usedMs, reservedMs } = await auditLedger(testbed.database, id);
    assert.deepEqual({ usedMs, reservedMs }, { usedMs: 45_000 + 30_000, reservedMs: 0 });
  });
});
