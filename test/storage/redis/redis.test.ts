import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type RedisServer, startRedis } from '../../../bench/servers/redis.ts';
import { openRedis } from '../../../src/storage/redis/redis.ts';

const server: RedisServer | string = await startRedis();

describe('a connection to Redis', { skip: typeof server === 'string' ? server : false }, () => {
  const redisServer = server as RedisServer;
  after(() => redisServer[Symbol.asyncDispose]());

  it('fails quickly while Redis is away, says so once, and goes on when it is back', async () => {
    const logged: string[] = [];
    const log = {
      error: (_fields: object, message: string) => void logged.push(message),
      info: (_fields: object, message: string) => void logged.push(message),
    };
    await using redis = await openRedis({ url: redisServer.url, log });
    await redis.set('siann:kept', 'yes');
    await redisServer.kill();
    const begunAt = performance.now();
    await assert.rejects(redis.get('siann:kept'));
    await delay(1500);
    await assert.rejects(redis.get('siann:kept'));
    assert.ok(performance.now() - begunAt < 3000);
    assert.deepEqual(logged, ['Redis does not answer; it is tried again until it does']);

    await redisServer.start();
    while (redis.status !== 'ready') await delay(10);
    assert.equal(await redis.get('siann:kept'), 'yes');
    assert.equal(logged.at(-1), 'Redis answers again');
    assert.equal(logged.length, 2);
  });

  it('does not wait for a server that takes commands and answers none', async () => {
    await using redis = await openRedis({ url: redisServer.url, log: { error() {}, info() {} } });
    redisServer.freeze();
    const begunAt = performance.now();
    await assert.rejects(redis.get('siann:kept'));
    assert.ok(performance.now() - begunAt < 2000);
    redisServer.thaw();
  });

  it('says at the start that there is no Redis', async () => {
    const log = { error: assert.fail, info: assert.fail };
    await assert.rejects(openRedis({ url: 'redis://127.0.0.1:1', log }), /^Error: Redis cannot be reached/);
  });
});
