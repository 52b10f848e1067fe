import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInvalidKeyDelay } from '../../src/accounts/invalid-key-delay.ts';
import { createMemoryCounters } from '../../src/storage/memory-counters.ts';

test('only so many answers are held back at once; the rest go out at once', async () => {
  const delayInvalidKey = createInvalidKeyDelay({ counters: createMemoryCounters(), maxWaiting: 3 });
  for (let tries = 0; tries < 5; tries += 1) await delayInvalidKey('192.0.2.1');
  const startedAt = performance.now();
  let answered = 0;
  const answers = Array.from({ length: 20 }, async () => {
    await delayInvalidKey('192.0.2.1');
    answered += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answered, 17);
  await Promise.all(answers);
  assert.ok(performance.now() - startedAt < 2000);
});

test('addresses of one IPv6 network are slowed together, others are not', async () => {
  const delayInvalidKey = createInvalidKeyDelay({ counters: createMemoryCounters() });
  const timed = async (address: string) => {
    const startedAt = performance.now();
    await delayInvalidKey(address);
    return performance.now() - startedAt;
  };
  const network = [
    '2001:db8:1:2::1',
    '2001:db8:1:2::2',
    '2001:db8:1:2:a:b:c:d',
    '2001:DB8:1:2::',
    '2001:0db8:1:2::9',
  ];
  for (const address of network) await delayInvalidKey(address);
  assert.ok((await timed('2001:db8:1:2::77')) >= 95);
  assert.ok((await timed('2001:db8:1:3::77')) < 95);
  assert.ok((await timed('192.0.2.1')) < 95);
});
