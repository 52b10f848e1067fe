import { clusterKeys } from '../cluster-keys.ts';
import { type ClusterLog, connectToCluster } from '../connect-to-cluster.ts';
import type { NodeCodec } from '../queue/job-codec.ts';
import { type ClusterDispatcher, createClusterDispatcher } from './cluster-dispatcher.ts';
import { openClusterView } from './cluster-view.ts';

export type ClusterNodeOptions<Job, Result> = {
  url: string;
  group: string;
  codec: NodeCodec<Job, Result>;
  log: ClusterLog;
};

/** A service's side of the cluster: a dispatcher that hands work to the workers, and what is known of them. */
export type ClusterNode<Job, Result> = AsyncDisposable & {
  dispatcher: ClusterDispatcher<Job, Result>;
  /** Windows of one recording that are worth having under way at once. */
  windowsAtOnce(): number;
  load(): { processes: number; busySlots: number; queued: number };
  ready(): Promise<void>;
};

/** One recording may keep every machine busy, but each of its windows takes a megabyte of Redis' memory. */
const mostWindowsAtOnce = 256;
/** Answers are used in the order of the recording, so more windows than slots must be out to keep every slot busy. */
const windowsForEachSlot = 1.5;

export async function joinAsNode<Job, Result>(
  options: ClusterNodeOptions<Job, Result>,
): Promise<ClusterNode<Job, Result>> {
  const { url, group, codec, log } = options;
  const redis = await connectToCluster({ url, log });
  const view = await openClusterView(redis, clusterKeys(group));
  const sum = (count: (worker: ReturnType<typeof view.workers>[number]) => number) =>
    view.workers().reduce((total, worker) => total + count(worker), 0);
  const wanted = () => Math.ceil(windowsForEachSlot * sum(({ fileSlots }) => fileSlots)) + 2;
  const dispatcher = await createClusterDispatcher({
    redis,
    group,
    codec,
    maxFileJobs: wanted,
    withoutWorkersMs: view.withoutWorkersMs,
  });

  return {
    dispatcher,
    windowsAtOnce: () =>
      Math.min(mostWindowsAtOnce, Math.max(2, Math.ceil(wanted() / Math.max(1, dispatcher.files())))),
    load: () => ({
      processes: sum(({ processes }) => processes),
      busySlots: sum(({ busySlots }) => busySlots),
      queued: view.waiting(),
    }),
    ready: view.ready,
    async [Symbol.asyncDispose]() {
      await dispatcher[Symbol.asyncDispose]();
      await view[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}
