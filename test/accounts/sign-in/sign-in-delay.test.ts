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

test('guesses from many addresses lock nobody out, and are looked at once a second', async () => {
  const { attempt, waits, clock } = create();
  const looked = { guesses: 0 };
  const guess = (n: number) =>
    attempt({ name: 'mei', address: `198.51.100.${n}` }, async () => {
      looked.guesses += 1;
      return false;
    }).catch(() => {});
  for (let n = 0; n < 200; n += 1) await guess(n);
  assert.equal(looked.guesses, 21, 'twenty, and then one in this second');
  const mei = { name: 'mei', address: '192.0.2.1' };
  await assert.rejects(attempt(mei, right), { code: 'rate_limit_exceeded', message: /users link/ });
  clock.advance(1000);
  assert.equal(await attempt(mei, right), true);
  assert.equal(waits.at(-1), 4000);
});

test('a browser in which the user has signed in before does not notice that others guess', async () => {
  const { attempt, waits } = create();
  const address = '192.0.2.1';
  for (let n = 0; n < 40; n += 1) await attempt({ name: 'mei', address }, wrong).catch(() => {});
  await assert.rejects(attempt({ name: 'mei', address }, right), { code: 'rate_limit_exceeded' });
  const before = waits.length;
  assert.equal(await attempt({ name: 'mei', address, knownDevice: 'of mei' }, right), true);
  assert.equal(waits.length, before);
});

test('not even when guesses keep every place busy', async () => {
  const { attempt } = create();
  const never = new Promise<boolean>(() => {});
  for (let n = 0; n < 20; n += 1)
    void attempt({ name: 'mei', address: `198.51.100.${n}` }, () => never).catch(() => {});
  const mei = { name: 'mei', address: '192.0.2.1', knownDevice: 'of mei' };
  assert.equal(await attempt(mei, right), true);
});

test('a known browser from which somebody guesses is soon treated like any other', async () => {
  const { attempt } = create();
  const who = { name: 'mei', address: '192.0.2.1', knownDevice: 'stolen' };
  let looked = 0;
  for (let n = 0; n < 100; n += 1)
    await attempt(who, async () => {
      looked += 1;
      return false;
    }).catch(() => {});
  assert.equal(looked, 40, 'twenty as the device, twenty as its address');
});

test('an address that sends links which there are not is sent away', async () => {
  const { delay, clock } = create();
  for (let n = 0; n < 20; n += 1) await delay.noteUnknownLink('192.0.2.1');
  await assert.rejects(delay.noteUnknownLink('192.0.2.1'), { code: 'rate_limit_exceeded' });
  await delay.noteUnknownLink('192.0.2.2');
  clock.advance(15 * 60_000);
  await delay.noteUnknownLink('192.0.2.1');
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
  const delay = createSignInDelay({ counters, wait: async (milliseconds) => waits.push(milliseconds) });
  return { delay, attempt: delay.attempt, hashing: delay.hashing, waits, clock };
}

test('tries that wait at the same time are as many as may fail, and no more', async () => {
  let over = () => {};
  const waited = new Promise<void>((resolve) => {
    over = resolve;
  });
  let isWaiting = false;
  const counters = createMemoryCounters({ clock: createTestClock() });
  const { attempt } = createSignInDelay({ counters, wait: async () => (isWaiting ? waited : undefined) });
  let looked = 0;
  const guess = () =>
    attempt({ name: 'mei', address: '192.0.2.1' }, async () => {
      looked += 1;
      return false;
    }).catch(() => {});
  for (let n = 0; n < 15; n += 1) await guess();
  isWaiting = true;
  const together = Array.from({ length: 60 }, guess);
  await new Promise((resolve) => setTimeout(resolve, 20));
  over();
  await Promise.all(together);
  assert.equal(looked, 20);
});

test('whoever has shown that they may hashes a password, though guesses keep every place busy', async () => {
  const { attempt, hashing } = create();
  const never = new Promise<boolean>(() => {});
  for (let n = 0; n < 20; n += 1)
    void attempt({ name: 'mei', address: `198.51.100.${n}` }, () => never).catch(() => {});
  assert.equal(await hashing(async () => 'done'), 'done');
});
