import type { Redis } from 'ioredis';
import { priorities } from '../../pool/dispatcher.ts';
import type { ClusterKeys } from '../cluster-keys.ts';
import { closeJobQueues, openJobQueues } from '../queue/job-queues.ts';
import { readWorkers, type WorkerAnnouncement } from '../worker-announcement.ts';

/** What is known of the workers, a second old at most. While Redis is away, what was known last. */
export type ClusterView = AsyncDisposable & {
  workers(): readonly WorkerAnnouncement[];
  /** Jobs that no worker has taken yet. */
  waiting(): number;
  /** For how long there has been nobody to take any. */
  withoutWorkersMs(): number;
  /** Resolves when a worker can take work. */
  ready(): Promise<void>;
};

const everyMs = 1_000;

export async function openClusterView(redis: Redis, keys: ClusterKeys): Promise<ClusterView> {
  const queues = openJobQueues(redis, keys);
  const awaitingReady = new Set<() => void>();
  let workers: WorkerAnnouncement[] = [];
  let waiting = 0;
  let aloneSince: number | undefined;

  const look = async () => {
    workers = await readWorkers(redis, keys);
    const counts = await Promise.all(
      priorities.map((priority) => queues[priority].getJobCountByTypes('waiting', 'prioritized')),
    );
    waiting = counts.reduce((sum, count) => sum + count, 0);
    if (!isReady()) {
      aloneSince ??= performance.now();
      return;
    }
    aloneSince = undefined;
    for (const resolve of awaitingReady) resolve();
    awaitingReady.clear();
  };
  const isReady = () => workers.some(({ processes }) => processes > 0);
  const timer = setInterval(() => void look().catch(() => {}), everyMs).unref();
  await look();

  return {
    workers: () => workers,
    waiting: () => waiting,
    withoutWorkersMs: () => (aloneSince === undefined ? 0 : performance.now() - aloneSince),
    async ready() {
      if (!isReady()) await new Promise<void>((resolve) => awaitingReady.add(resolve));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await closeJobQueues(queues);
    },
  };
}
