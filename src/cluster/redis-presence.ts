import type { Redis } from 'ioredis';

/** Whether Redis is there, for those who would rather wait a little than fail. */
export type RedisPresence = Disposable & {
  /** True as soon as it is there, false when it was not within that time. */
  within(ms: number): Promise<boolean>;
};

export function createRedisPresence(redis: Redis, onReturn: () => void = () => {}): RedisPresence {
  const waiting = new Set<(there: boolean) => void>();
  const returned = () => {
    for (const settle of waiting) settle(true);
    onReturn();
  };
  redis.on('ready', returned);

  return {
    within(ms) {
      if (redis.status === 'ready') return Promise.resolve(true);
      return new Promise((resolve) => {
        const settle = (there: boolean) => {
          clearTimeout(timer);
          waiting.delete(settle);
          resolve(there);
        };
        const timer = setTimeout(() => settle(false), ms);
        waiting.add(settle);
      });
    },
    [Symbol.dispose]() {
      redis.off('ready', returned);
      for (const settle of waiting) settle(false);
    },
  };
}
