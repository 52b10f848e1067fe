import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Counters } from '../counters.ts';
import { createSeal } from '../seal.ts';
import { createAskRedis } from './ask-redis.ts';
import { createRedisPermits } from './redis-permits.ts';
import type { RedisScript } from './redis-scripts.ts';

type Options = {
  redis: Redis;
  /** Who holds the permits, for people who look into Redis. */
  node: string;
  /** Instead of Redis' own time, which all nodes share. */
  clock?: { now(): number };
  /** What the names of keys begin with. */
  prefix?: string;
  permitLifetimeMs?: number;
  /** Known to the nodes alone. One-time values are sealed with it, since others may use the same Redis. */
  secret?: string | undefined;
};

/**
 * Counters that all nodes with the same Redis share. The names of keys stay as they are (`places:`, `parcel:`), since nodes
 * of two versions share them during an upgrade.
 */
export function createRedisCounters(options: Options): Counters {
  const { redis, node, clock, prefix = 'siann:', permitLifetimeMs } = options;
  const seal = options.secret === undefined ? undefined : createSeal(options.secret);
  const ask = createAskRedis({ redis, ...(clock && { clock }) });
  const run = (name: RedisScript, key: string, ...values: (string | number)[]) =>
    ask.patiently(() => ask.script(name, prefix + key, ...values));
  const permits = createRedisPermits({
    redis,
    ask,
    node,
    prefix: `${prefix}places:`,
    ...(permitLifetimeMs && { lifetimeMs: permitLifetimeMs }),
  });
  return {
    takeToken: async (bucket, perSecond) => (await run('takeToken', `rate:${bucket}`, perSecond)) as number,
    takePermit: permits.take,
    returnPermit: permits.giveBack,
    noteOnce: async (name, forgetAfterMs) =>
      (await run('noteOnce', `note:${name}`, forgetAfterMs, randomUUID())) === 1,
    countUp: async (name, forgetAfterMs) =>
      (await run('countUp', `count:${name}`, forgetAfterMs, randomUUID())) as number,
    readCount: async (name) => (await run('readCount', `count:${name}`)) as number,
    forgetCount: async (name) => void (await ask.patiently(() => redis.del(`${prefix}count:${name}`))),
    async putOneTimeValue(name, value, forgetAfterMs) {
      const key = `parcel:${name}`;
      await run('putOneTimeValue', key, forgetAfterMs, seal ? seal.close(value, key) : value);
    },
    async takeOneTimeValue(name) {
      const key = `parcel:${name}`;
      const value = (await run('takeOneTimeValue', key, randomUUID())) as string | null;
      if (value === null) return undefined;
      return seal ? seal.open(value, key) : value;
    },
    async [Symbol.asyncDispose]() {
      await permits[Symbol.asyncDispose]();
      ask[Symbol.dispose]();
    },
  };
}
