import type { Redis } from 'ioredis';
import { retry } from '../../async/retry.ts';
import type { Priority } from '../../pool/dispatcher.ts';
import { createRedisPresence } from '../../storage/redis/redis-presence.ts';
import { type ClusterKeys, nodeOf } from '../cluster-keys.ts';

/** What a worker reads and writes beside the queues. What was taken or computed is worth waiting for Redis. */
export type JobReceiver = Disposable & {
  /** What is to be done; nothing when nobody wants it any more. */
  readInput(id: string): Promise<Buffer | undefined>;
  answer(id: string, bytes: Buffer): Promise<void>;
  /** Tells all workers that there is work. */
  callOthers(priority: Priority): Promise<void>;
};

/** An answer waits so long for its node, which may just be cut off from Redis. */
const answerMs = 90_000;
/** A node that does not listen has mostly gone for good. */
const unreceivedAnswerMs = 20_000;
const persistenceMs = 60_000;
const pauseMs = 100;

export function createJobReceiver(redis: Redis, keys: ClusterKeys, onReturn: () => void): JobReceiver {
  const presence = createRedisPresence({ redis, pauseMs, onReturn });
  const persistently = <T>(ask: () => Promise<T>): Promise<T> => {
    const giveUpAt = performance.now() + persistenceMs;
    return retry(ask, { giveUpAt: () => giveUpAt, pause: presence.againWithin });
  };

  return {
    async readInput(id) {
      return (await persistently(() => redis.getBuffer(keys.input(id)))) ?? undefined;
    },

    async answer(id, bytes) {
      const [, listeners] = await persistently(() =>
        Promise.all([
          redis.set(keys.answer(id), bytes, 'PX', answerMs),
          redis.publish(keys.answered(nodeOf(id)), id),
          redis.del(keys.input(id)),
        ]),
      );
      if (listeners === 0) await redis.pexpire(keys.answer(id), unreceivedAnswerMs);
    },

    async callOthers(priority) {
      await redis.publish(keys.work, priority);
    },

    [Symbol.dispose]: () => presence[Symbol.dispose](),
  };
}
