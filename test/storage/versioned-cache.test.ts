import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVersionedCache } from '../../src/storage/versioned-cache.ts';

test('a row is loaded once a version, and what is not there every time', async () => {
  let version = 1;
  let loads = 0;
  const cache = createVersionedCache<string>({ database: { version: () => version } });
  const get = (row: string | undefined) =>
    cache.get('name', async () => {
      loads += 1;
      return row;
    });
  assert.deepEqual([await get('old'), await get('old'), loads], ['old', 'old', 1]);
  version = 2;
  assert.deepEqual([await get(undefined), await get(undefined), loads], [undefined, undefined, 3]);
  assert.equal(await get('new'), 'new');
});

test('a row that was loaded while the database changed is not kept', async () => {
  let version = 1;
  const cache = createVersionedCache<string>({ database: { version: () => version } });
  const slow = cache.get('name', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return 'old';
  });
  version = 2;
  await cache.get('other', async () => 'x');
  assert.equal(await slow, 'old');
  assert.equal(await cache.get('name', async () => 'new'), 'new');
});

test('without a version every row is loaded every time', async () => {
  const cache = createVersionedCache<number>({ database: { version: () => undefined } });
  let loads = 0;
  for (const expected of [1, 2, 3])
    assert.equal(
      await cache.get('name', async () => {
        loads += 1;
        return loads;
      }),
      expected,
    );
});
