import type { Redis } from 'ioredis';

/** Listens to channels over a connection of its own, again after each time that Redis was away. */
export async function subscribe(
  redis: Redis,
  channels: Record<string, (message: string) => void>,
): Promise<AsyncDisposable> {
  const subscriber = redis.duplicate({ lazyConnect: true });
  // That Redis is away is said by the connection that this is a copy of.
  subscriber.on('error', () => {});
  subscriber.on('message', (channel, message) => channels[channel]?.(message));
  await subscriber.connect();
  await subscriber.subscribe(...Object.keys(channels));
  return {
    async [Symbol.asyncDispose]() {
      subscriber.disconnect();
    },
  };
}
