import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInvalidKeyDelay } from '../../../src/accounts/keys/invalid-key-delay.ts';
import { createMemoryCounters } from '../../../src/storage/memory-counters.ts';
import { createTestClock } from '../../support/accounts.ts';

test('the first wrong keys are answered at once, the next ever later, up to two seconds', async () => {
  const { delayInvalidKey, waits, clock } = setUp();
  for (let tries = 0; tries < 12; tries += 1) await delayInvalidKey('192.0.2.1');
  assert.deepEqual(waits, [100, 200, 400, 800, 1600, 2000, 2000]);
  await delayInvalidKey('192.0.2.2');
  assert.equal(waits.length, 7, 'another address is not slowed');
  clock.advance(60_000);
  await delayInvalidKey('192.0.2.1');
  assert.equal(waits.length, 7, 'after a minute it is forgotten');
});

test('only so many answers are held back at once; the rest go out at once', async () => {
  const pending: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => pending.push(resolve));
  const delayInvalidKey = createInvalidKeyDelay({ counters: createMemoryCounters(), maxWaiting: 3, wait });
  const answers = Array.from({ length: 25 }, () => delayInvalidKey('192.0.2.1'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(pending.length, 3);
  for (const resolve of pending) resolve();
  await Promise.all(answers);
  const next = delayInvalidKey('192.0.2.1');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(pending.length, 4, 'another may wait again');
  pending[3]!();
  await next;
});

test('addresses of one IPv6 network are slowed together, as is one address however it is written', async () => {
  const together = [
    [
      '2001:db8:1:2::1',
      '2001:db8:1:2::2',
      '2001:db8:1:2:a:b:c:d',
      '2001:DB8:1:2::',
      '2001:0db8:1:2::9',
      '2001:db8:1:2::7%en0',
    ],
    ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '::FFFF:192.0.2.1', '192.0.2.1', '192.0.2.1'],
    ['::1', '::2', '0:0:0:0::3', '::4', '::5', '::6'],
  ];
  for (const addresses of together) {
    const { delayInvalidKey, waits } = setUp();
    for (const address of addresses) await delayInvalidKey(address);
    assert.deepEqual(waits, [100], addresses[0]);
  }
  const { delayInvalidKey, waits } = setUp();
  for (let network = 0; network < 20; network += 1) await delayInvalidKey(`2001:db8:1:${network}::1`);
  assert.deepEqual(waits, []);
});

function setUp() {
  const waits: number[] = [];
  const clock = createTestClock();
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  const delayInvalidKey = createInvalidKeyDelay({ counters: createMemoryCounters({ clock }), wait });
  return { delayInvalidKey, waits, clock };
}
