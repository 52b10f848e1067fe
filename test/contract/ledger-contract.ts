import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { periodAt } from '../../src/accounts/ledger/calendar.ts';
import { createLedger, type LedgerRequest } from '../../src/accounts/ledger/ledger.ts';
import { type AccountTestbed, createAccountTestbed } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { CreateDatabase } from '../support/both-engines.ts';
import { createLedgerModel, type LedgerStep, ledgerSteps } from './ledger-model.ts';

export function ledgerContract(create: CreateDatabase): void {
  it('charges what was used in place of what was held, once', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    assert.equal(await ledger.reserve(request('a'), 30_000), true);
    assert.equal(await ledger.reserve(request('a'), 30_000), true);
    assert.equal((await audit()).reservedMs, 60_000);
    assert.equal(await ledger.settle(request('a'), 44_500), true);
    assert.equal(await ledger.settle(request('a'), 44_500), true);
    assert.equal(await ledger.settle(request('a'), 1), true);
    const { usedMs, reservedMs } = await audit();
    assert.deepEqual([usedMs, reservedMs], [44_500, 0]);
  });

  it('charges a stream as it goes on, each second once, and keeps the rest held', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    await ledger.reserve(request('a'), 30_000);
    const charge = (chargedMs: number, milliseconds: number) =>
      ledger.settle(request('a'), milliseconds, { chargedMs, rest: 'kept' });
    assert.equal(await charge(0, 12_000), true);
    assert.deepEqual(await totals(), [12_000, 18_000]);
    assert.equal(await charge(0, 12_000), true, 'asked again, since the answer was lost');
    assert.deepEqual(await totals(), [12_000, 18_000]);
    await ledger.reserve(request('a'), 30_000);
    await Promise.all([charge(12_000, 40_000), charge(12_000, 40_000)]);
    assert.deepEqual(await totals(), [40_000, 20_000]);
    await ledger.releaseOwn();
    assert.deepEqual(await totals(), [40_000, 0], 'a crash loses nothing that was charged');
    assert.equal(await charge(40_000, 100_001), false, 'without a hold the quota is asked');
    assert.equal(await ledger.settle(request('a'), 50_000, { chargedMs: 40_000, rest: 'given back' }), true);
    const { settled } = await audit();
    assert.deepEqual([...settled], [['a', 50_000]]);

    async function totals() {
      const { usedMs, reservedMs } = await audit();
      return [usedMs, reservedMs];
    }
  });

  it('gives back what is released, and charges nothing', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    await ledger.reserve(request('a'), 30_000);
    await ledger.release('a');
    await ledger.release('a');
    await ledger.release('never-seen');
    assert.deepEqual(await audit(), { usedMs: 0, reservedMs: 0, settled: new Map() });
  });

  it('lets exactly as many in as fit into the quota when all ask at once', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    const asked = Array.from({ length: 40 }, (_, index) => ledger.reserve(request(`r${index}`), 10_000));
    const granted = (await Promise.all(asked)).filter(Boolean).length;
    assert.equal(granted, 10);
    assert.equal((await audit()).reservedMs, 100_000);
  });

  it('charges a request once when it is settled many times at once', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    await ledger.reserve(request('a'), 10_000);
    await Promise.all(Array.from({ length: 10 }, () => ledger.settle(request('a'), 8000)));
    const { usedMs, reservedMs } = await audit();
    assert.deepEqual([usedMs, reservedMs], [8000, 0]);
  });

  it('counts a request in the month in which it began', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed, '2026-11-30T23:59:59.999Z');
    const old = request('a');
    await ledger.reserve(old, 90_000);
    testbed.clock.set('2026-12-01T00:00:00Z');
    assert.equal(await ledger.reserve(request('b'), 100_000), true, 'a new month has a new quota');
    assert.equal(await ledger.reserve(old, 20_000), false, 'the old month is nearly used up');
    assert.equal(await ledger.settle(old, 90_000), true);
    await audit();
    const days = await testbed.database.queries
      .selectFrom('daily_usage')
      .select(['day', 'used_ms'])
      .execute();
    assert.deepEqual(days, [{ day: '2026-11-30', used_ms: 90_000 }]);
  });

  it('gives back what an instance held, when it starts again or when it has long been silent', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    const other = createLedger({ database: testbed.database, instance: 'other', clock: testbed.clock });
    await ledger.reserve(request('mine'), 10_000);
    await other.reserve(request('theirs'), 20_000);
    testbed.clock.advance(40_000);
    await other.renew();
    await ledger.releaseExpired();
    assert.equal((await audit()).reservedMs, 30_000);
    testbed.clock.advance(30_000);
    await other.releaseExpired();
    assert.equal((await audit()).reservedMs, 20_000);
    await ledger.releaseOwn();
    assert.equal((await audit()).reservedMs, 20_000);
    await createLedger({ database: testbed.database, instance: 'other' }).releaseOwn();
    assert.equal((await audit()).reservedMs, 0);
  });

  it('still charges a request whose hold expired while its process was asleep, if the quota allows it', async () => {
    await using testbed = await createAccountTestbed(create);
    const { ledger, request, audit } = await setUp(testbed);
    await ledger.reserve(request('a'), 60_000);
    await ledger.reserve(request('b'), 40_000);
    testbed.clock.advance(61_000);
    await ledger.releaseExpired();
    assert.equal(await ledger.settle(request('a'), 60_000), true);
    assert.equal(await ledger.reserve(request('c'), 30_000), true);
    assert.equal(await ledger.settle(request('b'), 40_000), false);
    const { usedMs, reservedMs } = await audit();
    assert.deepEqual([usedMs, reservedMs], [60_000, 30_000]);
  });

  it('does as a simple model says, whatever is asked, crashes and months included', async () => {
    await using testbed = await createAccountTestbed(create);
    await fc.assert(
      fc.asyncProperty(ledgerSteps({ maxLength: 25 }), async (steps) => {
        const { ledger, audit, request } = await setUp(testbed);
        const model = createLedgerModel(quotaMs);
        const requests = new Map<string, LedgerRequest>();
        for (const step of steps) {
          const granted = await perform(step, { ledger, request, requests, testbed });
          assert.equal(granted, model.perform(step, periodAt(testbed.clock.now()).month), step.kind);
          const { usedMs, reservedMs } = await audit();
          assert.deepEqual({ usedMs, reservedMs }, model.totals());
        }
      }),
      { numRuns: 15 },
    );
  });

  it('keeps its sums and its limit when everything happens at once', async () => {
    await using testbed = await createAccountTestbed(create);
    const batches = fc.array(ledgerSteps({ maxLength: 8 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(batches, async (lists) => {
        const { ledger, audit, request, keyId } = await setUp(testbed);
        const requests = new Map<string, LedgerRequest>();
        for (const steps of lists) {
          await Promise.all(steps.map((step) => perform(step, { ledger, request, requests, testbed })));
          await audit();
          const balances = await testbed.database.queries
            .selectFrom('balances')
            .selectAll()
            .where('key_id', '=', keyId)
            .execute();
          for (const { used_ms, reserved_ms } of balances) assert.ok(used_ms + reserved_ms <= quotaMs);
        }
      }),
      { numRuns: 15 },
    );
  });
}

const quotaMs = 100_000;

/** A key of its own, so that properties can share a database. */
async function setUp(testbed: AccountTestbed, now = '2026-11-15T12:00:00Z') {
  testbed.clock.set(now);
  const { id: keyId } = await testbed.createKey();
  const ledger = createLedger({ database: testbed.database, instance: 'here', clock: testbed.clock });
  return {
    ledger,
    keyId,
    request: (requestId: string): LedgerRequest => ({
      requestId,
      keyId,
      quotaMs,
      period: periodAt(testbed.clock.now()),
    }),
    audit: () => auditLedger(testbed.database, keyId),
  };
}

type Performing = Pick<Awaited<ReturnType<typeof setUp>>, 'ledger' | 'request'> & {
  requests: Map<string, LedgerRequest>;
  testbed: AccountTestbed;
};

async function perform(
  step: LedgerStep,
  { ledger, request, requests, testbed }: Performing,
): Promise<boolean> {
  if (step.kind === 'crash') return ledger.releaseOwn().then(() => true);
  if (step.kind === 'silence') {
    testbed.clock.advance(61_000);
    return ledger.releaseExpired().then(() => true);
  }
  if (step.kind === 'month') {
    testbed.clock.advance(31 * 86_400_000);
    return true;
  }
  // Request ids are unique in the whole database.
  const id = `${request('').keyId} ${step.request}`;
  const known = requests.get(id) ?? request(id);
  requests.set(id, known);
  if (step.kind === 'release') return ledger.release(id).then(() => true);
  return ledger[step.kind](known, step.milliseconds);
}
