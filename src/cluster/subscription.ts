import type { Redis } from 'ioredis';

/** Listens to channels over a separate connection. After an outage of Redis it listens again by itself. */
export async function subscribe(
  redis: Redis,
  channels: Record<string, (message: string) => void>,
): Promise<AsyncDisposable> {
  const subscriber = redis.duplicate({ lazyConnect: true });
  // The connection that this one was copied from logs that Redis is away.
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
