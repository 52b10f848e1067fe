/** A cluster around one Redis: as many nodes and workers of scripted jobs as a test wants. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import {
  type ClusterDispatcherOptions,
  createClusterDispatcher,
} from '../../src/cluster/node/cluster-dispatcher.ts';
import { type ClusterWorkerOptions, createClusterWorker } from '../../src/cluster/worker/cluster-worker.ts';
import type { Dispatcher } from '../../src/pool/dispatcher.ts';
import { openRedis } from '../../src/storage/redis/redis.ts';
import { runScripted, type ScriptedJob, type ScriptedResult } from '../contract/scripted-job.ts';
import { plainCodec } from './plain-codec.ts';

type NodeOptions = Partial<ClusterDispatcherOptions<ScriptedJob, ScriptedResult>>;
type WorkerOptions = Partial<ClusterWorkerOptions<ScriptedJob, ScriptedResult>>;

const codec = plainCodec<ScriptedJob, ScriptedResult>();
const silent = { info() {}, warn() {}, error() {} };
/** Short, so that a test need not wait long for what takes seconds in a real cluster. */
export const lockMs = 900;

export function scriptedCluster(url: string, group = `test-${randomBytes(4).toString('hex')}`) {
  return {
    group,
    openNode: (options: NodeOptions = {}) => openNode(url, group, options),
    openWorker: (options: WorkerOptions = {}) => openWorker(url, group, options),

    /** A worker in a process of its own, to be killed. */
    async startWorker() {
      const path = fileURLToPath(new URL('./fixtures/worker-process.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', path, url, group], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      return {
        async kill() {
          child.kill('SIGKILL');
          await once(child, 'exit');
        },
      };
    },

    /** Keys of the group, save the queues' own books. */
    async leftKeys(): Promise<string[]> {
      const redis = new Redis(url);
      const all = await redis.keys(`siann:${group}*`);
      redis.disconnect();
      return all.filter((key) => !/:(meta|id|events|pc|marker|stalled-check)$/.test(key)).sort();
    },
  };
}

async function openNode(url: string, group: string, options: NodeOptions) {
  const redis = await openRedis({ url, log: silent });
  const dispatcher = await createClusterDispatcher({ redis, group, codec, lookEveryMs: 300, ...options });
  return {
    run: dispatcher.run,
    redis,
    async [Symbol.asyncDispose]() {
      await dispatcher[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

/** Its jobs are run in this process, unless the test brings another dispatcher. */
export async function openWorker(url: string, group: string, options: WorkerOptions) {
  const redis = await openRedis({ url, log: silent });
  const dispatcher: Dispatcher<ScriptedJob, ScriptedResult> = {
    run: (job, { signal }) => runScripted(job, signal ?? new AbortController().signal),
    async [Symbol.asyncDispose]() {},
  };
  const worker = await createClusterWorker({
    redis,
    group,
    codec,
    dispatcher,
    slotsFor: () => 1,
    lockMs,
    lookEveryMs: 300,
    ...options,
  });
  return {
    busy: worker.busy,
    redis,
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, 'It did not come to that.');
    await delay(10);
  }
}
