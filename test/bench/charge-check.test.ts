import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCharges } from '../../bench/chaos/charge-check.ts';
import type { Outcome } from '../../bench/chaos/outcome.ts';
import { createServiceFolder } from '../../bench/service/service-folder.ts';
import { createLedger } from '../../src/accounts/ledger/ledger.ts';

test('charges that do not go with what clients saw are found out; answers lost on their way are counted apart', async () => {
  await using folder = await createServiceFolder();
  const [key, other] = await folder.createKeys(2, 'professional');
  const period = { month: '2026-11', day: '2026-11-15' };
  const charges = {
    answered: 5000,
    refused: 5000,
    'cut off': 3000,
    'cut in the answer': 4000,
    nobody: 1234,
    'in part': 2000,
    'too much': 9000,
  };
  await folder.withDatabase(async (database) => {
    const ledger = createLedger({ database, instance: 'test' });
    for (const [requestId, milliseconds] of Object.entries(charges))
      await ledger.settle({ requestId, keyId: key!.id, quotaMs: undefined, period }, milliseconds);
  });
  const outcome = (end: Outcome['end'], audioMs: number): Outcome => ({
    kind: 'file',
    keyId: key!.id,
    end,
    audioMs,
  });
  const { differences, lostAnswers, chargedSeconds } = await checkCharges(folder, [
    { ...outcome('right', 5000), requestId: 'answered', toldMs: 5000 },
    { ...outcome('right', 5000), requestId: 'not charged', toldMs: 5000 },
    { ...outcome('retryable', 5000), requestId: 'refused', detail: '503' },
    outcome('broken', 3000),
    { ...outcome('broken', 1234), keyId: other!.id },
    { ...outcome('left', 4000), requestId: 'cut in the answer' },
    { ...outcome('retryable', 5000), kind: 'streamed', requestId: 'in part' },
    { ...outcome('retryable', 5000), kind: 'streamed', requestId: 'too much' },
  ]);
  assert.deepEqual(differences, [
    'file not charged: told 5000 ms (right ) and charged 0 ms',
    'file refused: told 0 ms (retryable 503) and charged 5000 ms',
    'streamed too much: charged 9000 of 5000 ms',
    "nobody: 1234 ms charged to nobody's request",
  ]);
  assert.equal(lostAnswers, 2);
  assert.equal(chargedSeconds, 29.234);
});
