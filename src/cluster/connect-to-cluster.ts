import { openRedis, type RedisConnection } from '../storage/redis/redis.ts';

export type ClusterLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** On a slow network it takes a second to send the audio of a window. */
const commandTimeout = 5_000;

export function connectToCluster({ url, log }: { url: string; log: ClusterLog }): Promise<RedisConnection> {
  return openRedis({ url, log, settings: { commandTimeout } });
}
