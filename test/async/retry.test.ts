import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retry } from '../../src/async/retry.ts';

const never = () => Number.POSITIVE_INFINITY;
const atOnce = async () => {};

test('what fails and may pass is tried again until it succeeds, with a pause before each try', async () => {
  let tries = 0;
  let pauses = 0;
  const work = async () => {
    tries += 1;
    if (tries < 4) throw new Error(`try ${tries}`);
    return 'done';
  };
  const pause = async () => {
    pauses += 1;
  };
  assert.equal(await retry(work, { giveUpAt: never, pause }), 'done');
  assert.deepEqual([tries, pauses], [4, 3]);
});

test('an error that cannot pass is thrown at once', async () => {
  let tries = 0;
  const work = () => {
    tries += 1;
    throw new Error(tries < 3 ? 'away' : 'wrong');
  };
  const mayPass = (error: unknown) => (error as Error).message === 'away';
  await assert.rejects(retry(work, { mayPass, giveUpAt: never, pause: atOnce }), /wrong/);
  assert.equal(tries, 3);
});

test('when the time is over the last error is thrown, and before that the pause knows how much is left', async () => {
  let tries = 0;
  const left: number[] = [];
  const work = () => {
    tries += 1;
    throw new Error(`try ${tries}`);
  };
  const giveUpAt = () => performance.now() + 1_000 * (2.5 - tries);
  const pause = async (leftMs: number) => void left.push(Math.round(leftMs / 100) * 100);
  await assert.rejects(retry(work, { giveUpAt, pause }), /try 3/);
  assert.deepEqual(left, [1_500, 500]);
});

test('a pause that sees no sense in another try ends it', async () => {
  const work = async () => {
    throw new Error('away');
  };
  await assert.rejects(retry(work, { giveUpAt: never, pause: async () => false }), /away/);
});
