import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createAskRedis } from './ask-redis.ts';
import type { Counters } from './counters.ts';
import { createRedisPlaces } from './redis-places.ts';
import type { RedisScript } from './redis-scripts.ts';

type Options = {
  redis: Redis;
  /** Whose places these are, for whoever looks. */
  node: string;
  /** Instead of Redis' own time, which all nodes share. */
  clock?: { now(): number };
  /** What the names of keys begin with. */
  prefix?: string;
  placeLifetimeMs?: number;
};

/** Counters that all nodes with the same Redis share. */
export function createRedisCounters(options: Options): Counters {
  const { redis, node, clock, prefix = 'siann:', placeLifetimeMs } = options;
  const ask = createAskRedis({ redis, ...(clock && { clock }) });
  const run = (name: RedisScript, key: string, ...values: (string | number)[]) =>
    ask.patiently(() => ask.script(name, prefix + key, ...values));
  const places = createRedisPlaces({
    redis,
    ask,
    node,
    prefix: `${prefix}places:`,
    ...(placeLifetimeMs && { lifetimeMs: placeLifetimeMs }),
  });
  return {
    takeToken: async (bucket, perSecond) => (await run('takeToken', `rate:${bucket}`, perSecond)) as number,
    takePlace: places.take,
    leavePlace: places.leave,
    noteOnce: async (name, forgetAfterMs) =>
      (await run('noteOnce', `note:${name}`, forgetAfterMs, randomUUID())) === 1,
    countUp: async (name, forgetAfterMs) =>
      (await run('countUp', `count:${name}`, forgetAfterMs, randomUUID())) as number,
    readCount: async (name) => (await run('readCount', `count:${name}`)) as number,
    forgetCount: async (name) => void (await ask.patiently(() => redis.del(`${prefix}count:${name}`))),
    leaveParcel: async (name, content, forgetAfterMs) =>
      void (await run('leaveParcel', `parcel:${name}`, forgetAfterMs, content)),
    takeParcel: async (name) =>
      ((await run('takeParcel', `parcel:${name}`, randomUUID())) as string | null) ?? undefined,
    async [Symbol.asyncDispose]() {
      await places[Symbol.asyncDispose]();
      ask[Symbol.dispose]();
    },
  };
}
