import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createOpenParts } from '../../src/wiring/open-parts.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type RedisServer, startRedis } from '../servers/redis.ts';
import { createServiceFolder, type ServiceFolder } from '../service/service-folder.ts';
import { type ClusterNode, type Role, startNode } from './cluster-node.ts';

export type ClusterOptions = {
  apis: number;
  workers: number;
  /** Settings of every process. */
  env: Record<string, string>;
  /** Without it, what Redis held is gone when it is killed. */
  redisKeepsData?: boolean;
};

/** Real servers and `siann serve` processes, as many as are asked for, on this machine. */
export type Cluster = AsyncDisposable & {
  postgres: PostgresServer;
  redis: RedisServer;
  apis: ClusterNode[];
  workers: ClusterNode[];
  /** What clients trust: every API node shows the same certificate. */
  ca: string;
  /** Where the processes put temporary files. */
  temporaryFolder: string;
  /** The accounts, in PostgreSQL. */
  folder: ServiceFolder;
  addWorker(env?: Record<string, string>): Promise<ClusterNode>;
};

/** A machine that has other things to do as well may take long over what is under way when a node is told to stop. */
const patient = { SIANN_DRAIN_SECONDS: '120' };

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { keep, closeAll } = createOpenParts();
  try {
    const postgres = keep(serverOr(await startPostgres()));
    const redis = keep(serverOr(await startRedis({ keepsData: options.redisKeepsData ?? true })));
    const folder = keep(await createServiceFolder((await postgres.createDatabase()).url));
    const temporaryFolder = join(folder.path, 'temporary');
    await mkdir(temporaryFolder);
    const start = async (role: Role, number: number, env: Record<string, string> = {}) => {
      const servers = { SIANN_DATABASE_URL: folder.databaseUrl, SIANN_REDIS_URL: redis.url };
      return keep(
        await startNode({
          name: `${role}-${number}`,
          role,
          dataFolder: folder.path,
          env: { ...servers, ...patient, TMPDIR: temporaryFolder, ...options.env, ...env },
        }),
      );
    };
    const workers: ClusterNode[] = [];
    const apis: ClusterNode[] = [];
    for (let number = 1; number <= options.workers; number++) workers.push(await start('worker', number));
    // One after another: the first makes the tables, and the certificate that all of them show.
    for (let number = 1; number <= options.apis; number++) apis.push(await start('api', number));
    return {
      postgres,
      redis,
      apis,
      workers,
      ca: apis[0]?.process().ca ?? '',
      temporaryFolder,
      folder,
      async addWorker(env) {
        const worker = await start('worker', workers.length + 1, env);
        workers.push(worker);
        return worker;
      },
      [Symbol.asyncDispose]: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** A server, or the sentence that says why there is none. */
export function serverOr<Server>(started: Server | string): Server {
  if (typeof started === 'string') throw new Error(started);
  return started;
}
