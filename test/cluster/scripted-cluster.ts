/** A cluster in one process: a Redis, and as many nodes and workers of scripted jobs as a test wants. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  type ClusterDispatcherOptions,
  createClusterDispatcher,
} from '../../src/cluster/cluster-dispatcher.ts';
import { type ClusterWorkerOptions, createClusterWorker } from '../../src/cluster/cluster-worker.ts';
import { plainCodec } from '../../src/cluster/job-codec.ts';
import type { Priority } from '../../src/inference/dispatcher.ts';
import { createLocalDispatcher } from '../../src/inference/local-dispatcher.ts';
import { openRedis } from '../../src/storage/redis.ts';
import type { ContractOptions } from '../contract/dispatcher-contract.ts';
import type { ScriptedJob, ScriptedResult } from '../contract/scripted-job.ts';

export type Node = Awaited<ReturnType<ReturnType<typeof scriptedCluster>['openNode']>>;

const codec = plainCodec<ScriptedJob, ScriptedResult>();
const silent = { info() {}, error() {} };
const scripted = new URL('../contract/scripted-job.ts', import.meta.url);

export function scriptedCluster(url: string, group = `test-${randomBytes(4).toString('hex')}`) {
  const connect = () => openRedis({ url, log: silent });

  return {
    group,

    async openNode(options: Partial<ClusterDispatcherOptions<ScriptedJob, ScriptedResult>> = {}) {
      const redis = await connect();
      const dispatcher = await createClusterDispatcher({ redis, group, codec, ...options });
      return {
        run: dispatcher.run,
        redis,
        async [Symbol.asyncDispose]() {
          await dispatcher[Symbol.asyncDispose]();
          await redis[Symbol.asyncDispose]();
        },
      };
    },

    async openWorker(
      options: Partial<ClusterWorkerOptions<ScriptedJob, ScriptedResult> & ContractOptions> = {},
    ) {
      const { moduleUrl = scripted, processes = 1, slots = 1 } = options;
      const redis = await connect();
      const local = createLocalDispatcher<object, ScriptedJob, ScriptedResult>({
        moduleUrl,
        processes,
        slots,
        settings: {},
      });
      await local.ready();
      const slotsFor = (_priority: Priority) => processes * slots;
      const worker = await createClusterWorker({
        redis,
        group,
        codec,
        dispatcher: local,
        slotsFor,
        ...options,
      });
      return {
        worker,
        local,
        redis,
        async [Symbol.asyncDispose]() {
          await worker[Symbol.asyncDispose]();
          await local[Symbol.asyncDispose]();
          await redis[Symbol.asyncDispose]();
        },
      };
    },

    /** Keys of the group that are not the queues' own books. */
    async leftKeys(): Promise<string[]> {
      const redis = new Redis(url);
      const all = await redis.keys(`siann:${group}*`);
      redis.disconnect();
      return all.filter((key) => !/:(meta|id|events|pc|marker|stalled-check)$/.test(key)).sort();
    },
  };
}
