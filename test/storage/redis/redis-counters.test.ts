import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type RedisServer, startRedis } from '../../../bench/servers/redis.ts';
import type { ServiceError } from '../../../src/errors/service-error.ts';
import { openRedis } from '../../../src/storage/redis/redis.ts';
import { createRedisCounters } from '../../../src/storage/redis/redis-counters.ts';
import { countersContract } from '../../contract/counters-contract.ts';

const server: RedisServer | string = await startRedis();
if (typeof server === 'string') console.error(`\n*** NOT TESTED on Redis: shared counters. ${server}\n`);

describe('with a Redis server', { skip: typeof server === 'string' ? server : false }, async () => {
  if (typeof server === 'string') return;
  const log = { error() {}, info() {} };
  const redis = await openRedis({ url: server.url, log });
  after(async () => {
    await redis[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const node = (name: string, prefix: string, clock?: { now(): number }) =>
    createRedisCounters({ redis, node: name, prefix, ...(clock && { clock }) });

  countersContract('counters in Redis', (clock) => node('here', `siann:test:${randomUUID()}:`, clock));

  describe('counters of several nodes', () => {
    it('are shared, by the time of Redis', async () => {
      const prefix = `siann:test:${randomUUID()}:`;
      await using one = node('one', prefix);
      await using other = node('other', prefix);
      for (let token = 0; token < 5; token += 1)
        assert.equal(await (token % 2 ? one : other).takeToken('a', 5), 0);
      const waitMs = await other.takeToken('a', 5);
      assert.ok(waitMs > 0 && waitMs <= 200, String(waitMs));
      await delay(waitMs + 5);
      assert.equal(await one.takeToken('a', 5), 0);

      assert.equal(await one.noteOnce('a', 60_000), true);
      assert.equal(await other.noteOnce('a', 60_000), false);
      assert.equal(await one.countUp('a', 60_000), 1);
      assert.equal(await other.countUp('a', 60_000), 2);
      await one.putOneTimeValue('a', 'for whoever asks first', 60_000);
      assert.equal(await other.takeOneTimeValue('a'), 'for whoever asks first');
      assert.equal(await one.takeOneTimeValue('a'), undefined);
      assert.equal(await one.takePermit('a', 1), true);
      assert.equal(await other.takePermit('a', 1), false);
      await other.returnPermit('a');
      assert.equal(await other.takePermit('a', 1), false, 'only its holder can return a permit');
    });

    it('soon free the permits of a node that died, and not those of one that lives', async () => {
      const prefix = `siann:test:${randomUUID()}:`;
      const permitLifetimeMs = 800;
      const dead = await openRedis({ url: server.url, log });
      const dying = createRedisCounters({ redis: dead, node: 'dying', prefix, permitLifetimeMs });
      await using living = createRedisCounters({ redis, node: 'living', prefix, permitLifetimeMs });
      assert.equal(await dying.takePermit('name', 2), true);
      assert.equal(await living.takePermit('name', 2), true);
      assert.equal(await living.takePermit('name', 2), false);
      dead.disconnect();
      await delay(2 * permitLifetimeMs);
      assert.equal(await living.takePermit('name', 1), false, 'its own is not lost');
      assert.equal(await living.takePermit('name', 2), true, 'the other is free');
      assert.equal(await living.takePermit('name', 2), false);
    });

    it('leave no key behind for ever', async () => {
      const prefix = `siann:test:${randomUUID()}:`;
      await using counters = node('here', prefix);
      await counters.takeToken('a', 5);
      await counters.takePermit('a', 5);
      await counters.noteOnce('a', 1000);
      await counters.countUp('a', 1000);
      await counters.putOneTimeValue('a', 'content', 1000);
      const keys = await redis.keys(`${prefix}*`);
      assert.equal(keys.length, 5);
      for (const key of keys) {
        const forgottenInMs = await redis.pttl(key);
        assert.ok(forgottenInMs > 0 && forgottenInMs <= 20_000, `${key} ${forgottenInMs}`);
      }
    });
  });

  describe('counters while Redis is away', () => {
    it('say quickly that they cannot count, and go on by themselves with the permits that are taken', async () => {
      const prefix = `siann:test:${randomUUID()}:`;
      await using counters = node('here', prefix);
      assert.equal(await counters.takePermit('name', 2), true);
      assert.equal(await counters.takePermit('name', 2), true);
      await server.kill();
      const unavailable = (error: ServiceError) => error.code === 'unavailable' && error.status === 503;
      const begunAt = performance.now();
      await assert.rejects(counters.takeToken('a', 5), unavailable);
      await assert.rejects(counters.takePermit('name', 2), unavailable);
      await assert.rejects(counters.noteOnce('a', 1000), unavailable);
      await assert.rejects(counters.takeOneTimeValue('a'), unavailable);
      await counters.returnPermit('name');
      assert.ok(performance.now() - begunAt < 2000, `${performance.now() - begunAt} ms`);

      await server.start();
      await redis.flushall().catch(() => delay(600).then(() => redis.flushall()));
      redis.emit('ready');
      assert.equal(await counters.takePermit('name', 2), true, 'the one that was returned is free');
      assert.equal(
        await counters.takePermit('name', 2),
        false,
        'the other is taken, though Redis had forgotten it',
      );
      assert.equal(await counters.takeToken('a', 5), 0);
    });

    it('wait for a connection that is back at once', async () => {
      await using counters = node('here', `siann:test:${randomUUID()}:`);
      await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no').catch(() => {});
      assert.equal(await counters.noteOnce('a', 1000), true);
      assert.equal(await counters.noteOnce('a', 1000), false);
    });

    it('do not wait for a server that answers nothing', async () => {
      await using counters = node('here', `siann:test:${randomUUID()}:`);
      server.freeze();
      const begunAt = performance.now();
      await assert.rejects(counters.takeToken('a', 5), { code: 'unavailable' });
      assert.ok(performance.now() - begunAt < 2000);
      server.thaw();
    });
  });
});
