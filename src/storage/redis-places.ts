import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AskRedis } from './ask-redis.ts';

type Options = {
  redis: Redis;
  ask: AskRedis;
  node: string;
  prefix: string;
  /** What a node that died held is free again after this long. */
  lifetimeMs?: number;
};

export type RedisPlaces = AsyncDisposable & {
  take(room: string, places: number): Promise<boolean>;
  leave(room: string): Promise<void>;
};

/**
 * Places as leases: this node renews those it holds for as long as it lives. What Redis forgot meanwhile, or took for
 * expired while it was away, is there again with the first renewal after its return.
 */
export function createRedisPlaces(options: Options): RedisPlaces {
  const { redis, ask, node, prefix, lifetimeMs = 20_000 } = options;
  const held = new Map<string, string[]>();
  const left = new Map<string, string[]>();
  let timer: NodeJS.Timeout | undefined;

  const renew = () => {
    if (redis.status !== 'ready') return;
    for (const [room, places] of left) void giveBack(room, places).catch(() => {});
    // Not tried again: by then some may have been left.
    for (const [room, places] of held)
      ask.script('renewPlaces', prefix + room, lifetimeMs, ...places).catch(() => {});
  };
  const giveBack = async (room: string, places: readonly string[]) => {
    await ask.patiently(() => redis.zrem(prefix + room, ...places));
    for (const place of places) drop(left, room, place);
  };
  redis.on('ready', renew);

  return {
    async take(room, places) {
      timer ??= setInterval(renew, lifetimeMs / 4).unref();
      const place = `${node} ${randomUUID()}`;
      try {
        const values = [prefix + room, places, lifetimeMs, place] as const;
        const taken = (await ask.patiently(() => ask.script('takePlace', ...values))) === 1;
        if (taken) add(held, room, place);
        return taken;
      } catch (error) {
        // It may have been taken all the same.
        add(left, room, place);
        throw error;
      }
    },
    async leave(room) {
      const place = held.get(room)?.at(-1);
      if (place === undefined) return;
      drop(held, room, place);
      add(left, room, place);
      await giveBack(room, [place]).catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      redis.off('ready', renew);
      for (const [room, places] of held) for (const place of places) add(left, room, place);
      held.clear();
      await Promise.allSettled([...left].map(([room, places]) => giveBack(room, [...places])));
    },
  };
}

function add(rooms: Map<string, string[]>, room: string, place: string): void {
  const places = rooms.get(room);
  if (places) places.push(place);
  else rooms.set(room, [place]);
}

function drop(rooms: Map<string, string[]>, room: string, place: string): void {
  const rest = rooms.get(room)?.filter((other) => other !== place) ?? [];
  if (rest.length > 0) rooms.set(room, rest);
  else rooms.delete(room);
}
