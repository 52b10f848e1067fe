import { Redis, type RedisOptions } from 'ioredis';
import { leaveOutArguments } from './command-errors.ts';

export type RedisConnection = Redis & AsyncDisposable;

type Options = {
  /** `redis://…`, or `rediss://…` over TLS. */
  url: string;
  log: { error(fields: object, message: string): void; info(fields: object, message: string): void };
  /** For a connection that must behave differently, such as one that waits for work. */
  settings?: Omit<RedisOptions, 'replyMapping'>;
};

/** A client is better told to come back than kept waiting longer than this. */
const commandMilliseconds = 1_000;
const connectMilliseconds = 5_000;
const longestRetryMilliseconds = 500;

/**
 * A connection to Redis. While Redis is away, commands fail quickly; soon after its return they work again. No command is
 * queued and none is sent twice: a caller gets the error when it is not known whether the command was carried out.
 */
export async function openRedis({ url, log, settings }: Options): Promise<RedisConnection> {
  const redis = new DiscreetRedis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandMilliseconds,
    connectTimeout: connectMilliseconds,
    // Redis 7.0 does not know it, so that its user may not be allowed it.
    disableClientInfo: true,
    retryStrategy: (attempt) => Math.min(longestRetryMilliseconds, 25 * 2 ** Math.min(attempt, 10)),
    ...settings,
  });
  let reached = false;
  let away = false;
  let closing = false;
  const noteAway = (err?: Error) => {
    if (!reached || away || closing) return;
    away = true;
    log.error({ ...(err && { err }) }, 'Redis does not answer; it is tried again until it does');
  };
  redis.on('error', noteAway);
  redis.on('close', () => noteAway());
  redis.on('ready', () => {
    if (away) log.info({}, 'Redis answers again');
    reached = true;
    away = false;
  });
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    const { message, code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `Redis cannot be reached (${message || code}). Check SIANN_REDIS_URL, and that Redis is running.`,
      { cause },
    );
  }
  return Object.assign(redis, {
    async [Symbol.asyncDispose]() {
      closing = true;
      // `quit` waits for the answers to earlier commands. When Redis does not answer, there is nothing to wait for.
      await redis.quit().catch(() => redis.disconnect());
    },
  });
}

/** What a failed command carried does not travel on in its error, which may end in a log. */
class DiscreetRedis extends Redis {
  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    const { reject } = command;
    command.reject = (error) => reject(leaveOutArguments(error));
    return super.sendCommand(command, stream);
  }
}
