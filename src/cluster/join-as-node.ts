import { type ClusterDispatcher, createClusterDispatcher } from './cluster-dispatcher.ts';
import { clusterKeys } from './cluster-keys.ts';
import { watchCluster } from './cluster-watch.ts';
import { type ClusterLog, connectToCluster } from './connect-to-cluster.ts';
import type { NodeCodec } from './queue/job-codec.ts';

export type ClusterNodeOptions<Job, Result> = {
  url: string;
  group: string;
  codec: NodeCodec<Job, Result>;
  log: ClusterLog;
};

/** A service's place in the cluster: where it leaves work, and what it knows of those who do it. */
export type ClusterNode<Job, Result> = AsyncDisposable & {
  dispatcher: ClusterDispatcher<Job, Result>;
  /** Windows of one recording that are worth having under way at once. */
  windowsAtOnce(): number;
  load(): { processes: number; busySlots: number; queued: number };
  ready(): Promise<void>;
};

/** One recording may keep every machine busy, but each of its windows takes a megabyte of Redis' memory. */
const mostWindowsAtOnce = 256;
/** Answers come in the order of the recording, so some must be ahead for no slot to stand empty. */
const windowsForEachSlot = 1.5;

export async function joinAsNode<Job, Result>(
  options: ClusterNodeOptions<Job, Result>,
): Promise<ClusterNode<Job, Result>> {
  const { group, codec } = options;
  const redis = await connectToCluster(options);
  const watch = await watchCluster(redis, clusterKeys(group));
  const sum = (count: (worker: ReturnType<typeof watch.workers>[number]) => number) =>
    watch.workers().reduce((total, worker) => total + count(worker), 0);
  const wanted = () => Math.ceil(windowsForEachSlot * sum(({ fileSlots }) => fileSlots)) + 2;
  const dispatcher = await createClusterDispatcher({
    redis,
    group,
    codec,
    maxFileJobs: wanted,
    withoutWorkersMs: watch.withoutWorkersMs,
  });

  return {
    dispatcher,
    windowsAtOnce: () =>
      Math.min(mostWindowsAtOnce, Math.max(2, Math.ceil(wanted() / Math.max(1, dispatcher.files())))),
    load: () => ({
      processes: sum(({ processes }) => processes),
      busySlots: sum(({ busySlots }) => busySlots),
      queued: watch.waiting(),
    }),
    ready: watch.ready,
    async [Symbol.asyncDispose]() {
      await dispatcher[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    },
  };
}
