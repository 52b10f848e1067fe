/** What every kind of counters must do, whether they are this process's own or shared by many machines. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Counters } from '../../src/storage/counters.ts';
import { createTestClock } from '../support/accounts.ts';

type Create = (clock: { now(): number }) => Counters | Promise<Counters>;

export function countersContract(name: string, create: Create): void {
  describe(`${name} keep the contract`, () => {
    it('give one second of tokens at once, then one after the other', async () => {
      const clock = createTestClock();
      await using counters = await create(clock);
      const take = () => counters.takeToken('a', 5);
      for (let token = 0; token < 5; token += 1) assert.equal(await take(), 0);
      assert.equal(await take(), 200);
      clock.advance(150);
      assert.equal(await take(), 50);
      clock.advance(50);
      assert.equal(await take(), 0);
      assert.ok((await take()) > 0);
      clock.advance(60_000);
      for (let token = 0; token < 5; token += 1) assert.equal(await take(), 0);
      assert.ok((await take()) > 0, 'no more than one second is saved up');
      assert.equal(await counters.takeToken('b', 5), 0, 'another bucket is full');
    });

    it('hold to the new rate when it changes', async () => {
      const clock = createTestClock();
      await using counters = await create(clock);
      for (let token = 0; token < 100; token += 1) assert.equal(await counters.takeToken('a', 100), 0);
      clock.advance(1000);
      const taken = [];
      for (let token = 0; token < 20; token += 1) taken.push(await counters.takeToken('a', 5));
      assert.equal(taken.filter((wait) => wait === 0).length, 5);
    });

    it('neither give nor take when the clock is set back', async () => {
      const clock = createTestClock();
      await using counters = await create(clock);
      for (let token = 0; token < 5; token += 1) await counters.takeToken('a', 5);
      clock.advance(-3_600_000);
      assert.ok((await counters.takeToken('a', 5)) <= 1000);
      clock.advance(1000);
      assert.equal(await counters.takeToken('a', 5), 0);
    });

    it('give as many permits as are asked for, and give them again when they are returned', async () => {
      await using counters = await create(createTestClock());
      const taken = await Promise.all(Array.from({ length: 10 }, () => counters.takePermit('name', 3)));
      assert.equal(taken.filter(Boolean).length, 3);
      await counters.returnPermit('name');
      assert.equal(await counters.takePermit('name', 3), true);
      assert.equal(await counters.takePermit('name', 3), false);
      assert.equal(await counters.takePermit('name', 4), true, 'a larger plan has more');
      assert.equal(await counters.takePermit('other', 1), true);
      await counters.returnPermit('never taken');
      for (let permit = 0; permit < 4; permit += 1) await counters.returnPermit('name');
      assert.equal(await counters.takePermit('name', 1), true, 'all were returned');
    });

    it('note a name once until it is forgotten', async () => {
      const clock = createTestClock();
      await using counters = await create(clock);
      assert.equal(await counters.noteOnce('a', 600_000), true);
      clock.advance(599_999);
      assert.equal(await counters.noteOnce('a', 600_000), false);
      assert.equal(await counters.noteOnce('b', 600_000), true);
      clock.advance(1);
      assert.equal(await counters.noteOnce('a', 600_000), true);
      const together = await Promise.all(Array.from({ length: 5 }, () => counters.noteOnce('c', 1000)));
      assert.equal(together.filter(Boolean).length, 1);
    });

    it('give a one-time value once, and not when it has been forgotten', async () => {
      const clock = createTestClock();
      await using counters = await create(clock);
      await counters.putOneTimeValue('a', 'for a', 60_000);
      await counters.putOneTimeValue('b', 'for b', 60_000);
      clock.advance(59_999);
      const together = await Promise.all(Array.from({ length: 5 }, () => counters.takeOneTimeValue('a')));
      assert.deepEqual(
        together.filter((content) => content !== undefined),
        ['for a'],
      );
      clock.advance(1);
      assert.equal(await counters.takeOneTimeValue('b'), undefined);
      assert.equal(await counters.takeOneTimeValue('never put'), undefined);
    });

    it('count up until nothing has happened for a while', async () => {
      const clock = createTestClock();
      await using counters = await create(clock);
      for (const expected of [1, 2, 3]) {
        assert.equal(await counters.countUp('a', 60_000), expected);
        clock.advance(59_999);
      }
      assert.equal(await counters.countUp('b', 60_000), 1);
      assert.equal(await counters.readCount('a'), 3);
      clock.advance(1);
      assert.equal(await counters.readCount('a'), 0);
      assert.equal(await counters.countUp('a', 60_000), 1);
      await counters.forgetCount('a');
      assert.equal(await counters.readCount('a'), 0);
      assert.equal(await counters.countUp('a', 60_000), 1);
      assert.equal(await counters.readCount('never'), 0);
    });
  });
}
