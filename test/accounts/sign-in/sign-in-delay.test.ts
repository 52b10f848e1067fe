import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignInDelay } from '../../../src/accounts/sign-in/sign-in-delay.ts';
import { createMemoryCounters } from '../../../src/storage/memory-counters.ts';
import { createTestClock } from '../../support/accounts.ts';

const wrong = async () => false;
const right = async () => true;

test('guesses at one name wait longer and longer, from whatever address they come', async () => {
  const { attempt, waits } = create();
  for (let n = 0; n < 12; n += 1) await attempt({ name: 'mei', address: `192.0.2.${n}` }, wrong);
  assert.deepEqual(waits, [250, 500, 1000, 2000, 4000, 4000, 4000]);
});

test('guesses from one address wait, whatever names they try; all of one IPv6 network are one', async () => {
  const { attempt, waits } = create();
  for (let n = 0; n < 6; n += 1) await attempt({ name: `name ${n}`, address: `2001:db8::${n}` }, wrong);
  assert.deepEqual(waits, [250]);
});

test('after many failures nobody looks any more, until they are forgotten', async () => {
  const { attempt, clock } = create();
  const who = { name: 'mei', address: '192.0.2.1' };
  for (let n = 0; n < 20; n += 1) await attempt(who, wrong);
  await assert.rejects(
    attempt(who, async () => assert.fail('it was looked at')),
    { code: 'rate_limit_exceeded', retryAfterSeconds: 900 },
  );
  clock.advance(15 * 60_000);
  assert.equal(await attempt(who, right), true);
});

test('the right password wipes out what was mistyped for its name', async () => {
  const { attempt, waits } = create();
  for (let n = 0; n < 4; n += 1) await attempt({ name: 'mei', address: `192.0.2.${n}` }, wrong);
  await attempt({ name: 'mei', address: '192.0.2.9' }, right);
  for (let n = 0; n < 4; n += 1) await attempt({ name: 'mei', address: `198.51.100.${n}` }, wrong);
  assert.deepEqual(waits, []);
});

test('only a few are looked at at once', async () => {
  const { attempt } = create();
  let finish = (_right: boolean) => {};
  const slow = new Promise<boolean>((resolve) => {
    finish = resolve;
  });
  const tries = Array.from({ length: 9 }, (_, n) =>
    attempt({ name: `${n}`, address: `192.0.2.${n}` }, () => slow),
  );
  await assert.rejects(tries[8]!, { code: 'rate_limit_exceeded' });
  finish(true);
  assert.deepEqual(await Promise.all(tries.slice(0, 8)), Array(8).fill(true));
});

function create() {
  const waits: number[] = [];
  const clock = createTestClock();
  const counters = createMemoryCounters({ clock });
  const attempt = createSignInDelay({ counters, wait: async (milliseconds) => waits.push(milliseconds) });
  return { attempt, waits, clock };
}
