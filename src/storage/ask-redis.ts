import type { Redis } from 'ioredis';
import { ServiceError } from '../errors/service-error.ts';
import { type RedisScript, redisScripts } from './redis-scripts.ts';

export type AskRedis = Disposable & {
  /** Carries out one script, in one round trip. */
  script(name: RedisScript, key: string, ...values: (string | number)[]): Promise<unknown>;
  /** Asks again when Redis was lost and is back at once; throws `unavailable`. */
  patiently<Answer>(send: () => Promise<Answer>): Promise<Answer>;
};

type Options = { redis: Redis; clock?: { now(): number } };

/** How long after Redis was lost it is still waited for: a connection that breaks is mostly back at once. */
const patienceMs = 500;
const pauseMs = 10;

export function createAskRedis({ redis, clock }: Options): AskRedis {
  for (const [name, script] of Object.entries(redisScripts))
    if (!(commandName(name) in redis)) redis.defineCommand(commandName(name), script);
  const scripts = redis as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
  const waiting = new Set<() => void>();
  let lostAtMs: number | undefined;
  const onClose = () => {
    lostAtMs ??= performance.now();
  };
  const onReady = () => {
    lostAtMs = undefined;
    for (const goOn of waiting) goOn();
  };
  redis.on('close', onClose);
  redis.on('ready', onReady);

  /** Whether it can be asked again, at the latest when the time is over. */
  const isBack = (withinMs: number) => {
    if (withinMs <= 0) return false;
    return new Promise<boolean>((resolve) => {
      const end = (back: boolean) => {
        clearTimeout(timer);
        waiting.delete(goOn);
        resolve(back);
      };
      const goOn = () => end(true);
      waiting.add(goOn);
      const isThere = redis.status === 'ready';
      const timer = setTimeout(() => end(isThere), isThere ? pauseMs : withinMs);
    });
  };

  return {
    script: (name, key, ...values) => scripts[commandName(name)]!(key, clock ? clock.now() : '', ...values),
    async patiently(send) {
      const begunAtMs = performance.now();
      for (;;) {
        try {
          return await send();
        } catch (cause) {
          if (isOurFault(cause)) throw cause;
          const leftMs = (lostAtMs ?? begunAtMs) + patienceMs - performance.now();
          if (!(await isBack(leftMs))) throw new ServiceError('unavailable', { cause });
        }
      }
    },
    [Symbol.dispose]() {
      redis.off('close', onClose);
      redis.off('ready', onReady);
    },
  };
}

/** Beside what ioredis and others put on the connection. */
function commandName(script: string): string {
  return `siann_${script}`;
}

/** Redis answered, and would answer the same again. While it starts, or is full, or is a copy, it says otherwise. */
function isOurFault(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && /^(ERR|WRONGTYPE) /.test(error.message);
}
