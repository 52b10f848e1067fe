import type { Redis } from 'ioredis';
import { retry } from '../../async/retry.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { createRedisPresence } from './redis-presence.ts';
import { type RedisScript, redisScripts } from './redis-scripts.ts';

export type AskRedis = Disposable & {
  /** Carries out one script, in one round trip. */
  script(name: RedisScript, key: string, ...values: (string | number)[]): Promise<unknown>;
  /** Asks again when Redis was lost and is back at once; throws `unavailable`. */
  patiently<Answer>(send: () => Promise<Answer>): Promise<Answer>;
};

type Options = { redis: Redis; clock?: { now(): number } };

/** How long a command waits for Redis after it was lost. A broken connection is usually back at once. */
const patienceMs = 500;
const pauseMs = 10;

export function createAskRedis({ redis, clock }: Options): AskRedis {
  for (const [name, script] of Object.entries(redisScripts))
    if (!(commandName(name) in redis)) redis.defineCommand(commandName(name), script);
  const scripts = redis as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
  const presence = createRedisPresence({ redis, pauseMs });

  return {
    script: (name, key, ...values) => scripts[commandName(name)]!(key, clock ? clock.now() : '', ...values),
    async patiently(send) {
      const begunAt = performance.now();
      try {
        return await retry(send, {
          mayPass: (error) => !isOurFault(error),
          giveUpAt: () => (presence.lostAt() ?? begunAt) + patienceMs,
          pause: presence.againWithin,
        });
      } catch (cause) {
        throw isOurFault(cause) ? cause : new ServiceError('unavailable', { cause });
      }
    },
    [Symbol.dispose]: () => presence[Symbol.dispose](),
  };
}

/** A prefix keeps it apart from what ioredis and others put on the connection. */
function commandName(script: string): string {
  return `siann_${script}`;
}

/** Redis refused the command itself, and would refuse it again. Other errors (loading, out of memory, read only) may pass. */
function isOurFault(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && /^(ERR|WRONGTYPE) /.test(error.message);
}
