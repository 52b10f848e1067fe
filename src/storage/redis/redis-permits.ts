import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { AskRedis } from './ask-redis.ts';

type Options = {
  redis: Redis;
  ask: AskRedis;
  node: string;
  prefix: string;
  /** The permits of a node that died expire after this long. */
  lifetimeMs?: number;
};

export type RedisPermits = AsyncDisposable & {
  take(name: string, limit: number): Promise<boolean>;
  giveBack(name: string): Promise<void>;
};

/**
 * Permits expire unless they are renewed, and this node renews those it holds for as long as it lives. When Redis has
 * forgotten some of them, or let them expire while it was away, the first renewal after its return brings them back.
 */
export function createRedisPermits(options: Options): RedisPermits {
  const { redis, ask, node, prefix, lifetimeMs = 20_000 } = options;
  const held = new Map<string, string[]>();
  const returned = new Map<string, string[]>();
  let timer: NodeJS.Timeout | undefined;

  const renew = () => {
    if (redis.status !== 'ready') return;
    for (const [name, permits] of returned) void remove(name, permits).catch(() => {});
    // Not tried again: by then some may have been returned.
    for (const [name, permits] of held)
      ask.script('renewPermits', prefix + name, lifetimeMs, ...permits).catch(() => {});
  };
  const remove = async (name: string, permits: readonly string[]) => {
    await ask.patiently(() => redis.zrem(prefix + name, ...permits));
    for (const permit of permits) drop(returned, name, permit);
  };
  redis.on('ready', renew);

  return {
    async take(name, limit) {
      timer ??= setInterval(renew, lifetimeMs / 4).unref();
      const permit = `${node} ${randomUUID()}`;
      try {
        const values = [prefix + name, limit, lifetimeMs, permit] as const;
        const taken = (await ask.patiently(() => ask.script('takePermit', ...values))) === 1;
        if (taken) add(held, name, permit);
        return taken;
      } catch (error) {
        // Redis may have carried it out although the answer was lost.
        add(returned, name, permit);
        throw error;
      }
    },
    async giveBack(name) {
      const permit = held.get(name)?.at(-1);
      if (permit === undefined) return;
      drop(held, name, permit);
      add(returned, name, permit);
      await remove(name, [permit]).catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      redis.off('ready', renew);
      for (const [name, permits] of held) for (const permit of permits) add(returned, name, permit);
      held.clear();
      await Promise.allSettled([...returned].map(([name, permits]) => remove(name, [...permits])));
    },
  };
}

function add(permitsOf: Map<string, string[]>, name: string, permit: string): void {
  const permits = permitsOf.get(name);
  if (permits) permits.push(permit);
  else permitsOf.set(name, [permit]);
}

function drop(permitsOf: Map<string, string[]>, name: string, permit: string): void {
  const rest = permitsOf.get(name)?.filter((other) => other !== permit) ?? [];
  if (rest.length > 0) permitsOf.set(name, rest);
  else permitsOf.delete(name);
}
