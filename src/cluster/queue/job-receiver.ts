import type { Redis } from 'ioredis';
import { retry } from '../../async/retry.ts';
import type { Priority } from '../../pool/dispatcher.ts';
import { createRedisPresence } from '../../storage/redis/redis-presence.ts';
import { type ClusterKeys, nodeOf } from '../cluster-keys.ts';

/** What a worker reads and writes beside the queues. It waits for Redis, since work that was begun is worth the wait. */
export type JobReceiver = Disposable & {
  /** The packed job; undefined when nobody wants it any more. */
  readInput(id: string): Promise<Buffer | undefined>;
  answer(id: string, bytes: Buffer): Promise<void>;
  /** Tells all workers that there is work. */
  callOthers(priority: Priority): Promise<void>;
};

/** How long an answer is kept for its node, which may be cut off from Redis for a while. */
const answerMs = 90_000;
/** How long it is kept when the node does not listen: usually such a node is gone for good. */
const unreceivedAnswerMs = 20_000;
const pauseMs = 100;

type Options = {
  redis: Redis;
  keys: ClusterKeys;
  maxJobBytes: number;
  /** How long it tries to reach Redis before it gives up. */
  persistenceMs: number;
  onReturn(): void;
};

export function createJobReceiver(options: Options): JobReceiver {
  const { redis, keys, maxJobBytes, persistenceMs, onReturn } = options;
  const presence = createRedisPresence({ redis, pauseMs, onReturn });
  const persistently = <T>(ask: () => Promise<T>): Promise<T> => {
    const giveUpAt = performance.now() + persistenceMs;
    return retry(ask, { giveUpAt: () => giveUpAt, pause: presence.againWithin });
  };

  return {
    async readInput(id) {
      const input = await persistently(() => redis.getrangeBuffer(keys.input(id), 0, maxJobBytes));
      return input.length > 0 ? input : undefined;
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
