import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createLedger } from '../../src/accounts/ledger/ledger.ts';
import { createAccountTestbed } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { CreateDatabase } from '../support/both-engines.ts';
import { startFixture } from '../support/fixture-process.ts';

export function ledgerFaultContract(create: CreateDatabase): void {
  it('never lets two processes pass the quota together', async () => {
    await using testbed = await createAccountTestbed(create);
    const key = await testbed.createKey();
    const racers = ['one', 'two'].map((name) =>
      startFixture('use-quota.ts', [testbed.url, key.key, name, '2']),
    );
    const lines = (await Promise.all(racers.map((racer) => racer.lines()))).flat();
    assert.deepEqual(
      racers.map(({ child }) => child.exitCode),
      [0, 0],
    );
    const { usedMs, reservedMs, settled } = await auditLedger(testbed.database, key.id);
    assert.equal(reservedMs, 0);
    assert.ok(usedMs <= 120_000, `${usedMs}`);
    // Each of six workers stops when others hold what is left, and then gives back the five seconds that it held itself.
    assert.ok(usedMs >= 120_000 - 6 * 5_000, `${usedMs}`);
    assert.deepEqual(asMap(lines), settled);
  });

  it('loses nothing that was charged, and holds nothing, after its process was killed', async () => {
    await using testbed = await createAccountTestbed(create);
    const key = await testbed.createKey();
    const printed: string[] = [];
    for (const killAfter of [3, 40]) {
      const writer = startFixture('use-quota.ts', [testbed.url, key.key, 'writer', '1000']);
      let seen = 0;
      writer.child.stdout.on('data', (chunk: Buffer) => {
        seen += chunk.toString().split('\n').length - 1;
        if (seen >= killAfter) writer.child.kill('SIGKILL');
      });
      printed.push(...(await writer.lines()));
      assert.equal(writer.child.signalCode, 'SIGKILL');
    }
    const ledger = createLedger({ database: testbed.database, instance: 'writer' });
    await ledger.releaseOwn();
    // A PostgreSQL server may commit what it was sent a moment after the sender has died.
    await delay(200);
    await ledger.releaseOwn();
    const { reservedMs, settled } = await auditLedger(testbed.database, key.id);
    assert.equal(reservedMs, 0);
    const answered = asMap(printed);
    for (const [requestId, milliseconds] of answered) assert.equal(settled.get(requestId), milliseconds);
    // Each kill may fall between a charge and its line, for each of the three workers.
    assert.ok(settled.size - answered.size <= 2 * 3);
  });
}

function asMap(lines: string[]): Map<string, number> {
  return new Map(lines.map((line) => line.split(' ')).map(([id, ms]) => [id!, Number(ms)]));
}
