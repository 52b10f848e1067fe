import type { Redis } from 'ioredis';

/** Whether Redis can be reached, for those who would rather wait a little than fail. */
export type RedisPresence = Disposable & {
  /** True as soon as Redis is there, false when it was not within that time. */
  within(ms: number): Promise<boolean>;
  /** The same for a caller whose command has just failed: when Redis is there already, it waits for a short pause. */
  againWithin(ms: number): Promise<boolean>;
  /** Since when it has been away, on the clock of `performance.now()`. */
  lostAt(): number | undefined;
};

type Options = { redis: Redis; pauseMs: number; onReturn?(): void };

export function createRedisPresence({ redis, pauseMs, onReturn }: Options): RedisPresence {
  const waiting = new Set<(isThere: boolean) => void>();
  let lostAt: number | undefined;
  const onClose = () => {
    lostAt ??= performance.now();
  };
  const onReady = () => {
    lostAt = undefined;
    for (const settle of waiting) settle(true);
    onReturn?.();
  };
  redis.on('close', onClose);
  redis.on('ready', onReady);

  /** Gives `otherwise` when Redis has not returned within that time. */
  const returned = (ms: number, otherwise: boolean) =>
    new Promise<boolean>((resolve) => {
      const settle = (isThere: boolean) => {
        clearTimeout(timer);
        waiting.delete(settle);
        resolve(isThere);
      };
      const timer = setTimeout(() => settle(otherwise), ms);
      waiting.add(settle);
    });
  const isThere = () => redis.status === 'ready';

  return {
    within: async (ms) => isThere() || returned(ms, false),
    againWithin: (ms) => (isThere() ? returned(Math.min(pauseMs, ms), true) : returned(ms, false)),
    lostAt: () => lostAt,
    [Symbol.dispose]() {
      redis.off('close', onClose);
      redis.off('ready', onReady);
      for (const settle of waiting) settle(false);
    },
  };
}
