import { hostname } from 'node:os';
import type { Priority } from '../../pool/dispatcher.ts';
import type { LocalDispatcher } from '../../pool/local-dispatcher.ts';
import { clusterKeys } from '../cluster-keys.ts';
import { type ClusterLog, connectToCluster } from '../connect-to-cluster.ts';
import type { WorkerCodec } from '../queue/job-codec.ts';
import { announceWorker } from '../worker-announcement.ts';
import { createClusterWorker } from './cluster-worker.ts';

export type JoinAsWorkerOptions<Job, Result> = {
  url: string;
  group: string;
  codec: WorkerCodec<Job, Result>;
  /** Does the work. The worker does not dispose of it. */
  dispatcher: LocalDispatcher<Job, Result>;
  /** How many jobs of a priority and below it one process takes at once. */
  slotsFor: Record<Priority, number>;
  /** What others are told. */
  model: string;
  version: string;
  drainMs: number;
  log: ClusterLog;
};

/** A worker's membership of the cluster. Disposing of it finishes the jobs that it has taken, or hands them back. */
export type ClusterMember = AsyncDisposable & { ping(): Promise<void> };

export async function joinAsWorker<Job, Result>(
  options: JoinAsWorkerOptions<Job, Result>,
): Promise<ClusterMember> {
  const { url, group, codec, dispatcher, model, version, drainMs, log } = options;
  const redis = await connectToCluster({ url, log });
  const slotsFor = (priority: Priority) => dispatcher.stats().processes * options.slotsFor[priority];
  const worker = await createClusterWorker({ redis, group, codec, dispatcher, slotsFor, drainMs, log });
  const announcement = announceWorker(redis, clusterKeys(group), () => {
    const { processes, rssBytes } = dispatcher.stats();
    return {
      host: hostname(),
      version,
      model,
      processes,
      slots: slotsFor('realtime'),
      fileSlots: slotsFor('file'),
      busySlots: worker.busy(),
      rssBytes,
    };
  });

  return {
    async ping() {
      await redis.ping();
    },
    async [Symbol.asyncDispose]() {
      await announcement[Symbol.asyncDispose]();
      await worker[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}
