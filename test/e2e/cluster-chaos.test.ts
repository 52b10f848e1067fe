import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runChaos } from '../../bench/chaos/run-chaos.ts';
import { startCluster } from '../../bench/cluster/cluster.ts';
import { startPostgres } from '../../bench/servers/postgres.ts';
import { startRedis } from '../../bench/servers/redis.ts';
import { testModels } from '../support/tiny-model.ts';

/** `npm run chaos` does the same with more requests, longer files and more mishaps. */
test('a cluster whose nodes and servers are killed answers rightly or asks to come again, and charges what it answered', async (context) => {
  for (const server of [await startPostgres(), await startRedis()]) {
    if (typeof server === 'string') return context.skip(server);
    await server[Symbol.asyncDispose]();
  }
  const env = { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels };
  await using cluster = await startCluster({ apis: 2, workers: 2, env });
  const { outcomes, charges, leftBehind, down } = await runChaos({
    cluster,
    requests: 40,
    mishaps: 4,
    seed: 8,
    atOnce: 6,
    samples: 'short',
    expiryMs: 60_000,
    explain: () => {},
  });
  const ended = (end: string) => outcomes.filter((outcome) => outcome.end === end);
  assert.deepEqual(ended('fault'), []);
  assert.ok(ended('right').length > 15, `${ended('right').length} answered rightly`);
  assert.ok(ended('retryable').length + ended('broken').length > 0, 'nobody noticed that anything went away');
  assert.deepEqual(charges.differences, []);
  assert.deepEqual(leftBehind, []);
  assert.deepEqual(down, []);
});
