import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { ClusterKeys } from './cluster-keys.ts';

/** What a worker says of itself. */
export type WorkerAnnouncement = {
  id: string;
  host: string;
  version: string;
  model: string;
  /** Inference processes that take work, windows that they take at once, and how many of those may be of files. */
  processes: number;
  slots: number;
  fileSlots: number;
  busySlots: number;
  rssBytes: number;
};

const everyMs = 2_000;
/** A worker that has said nothing for so long is gone. */
const goneAfterMs = 7_000;

/** Announces the worker now and every two seconds, and takes the announcement back at the end. */
export function announceWorker(
  redis: Redis,
  keys: ClusterKeys,
  describe: () => Omit<WorkerAnnouncement, 'id'>,
): AsyncDisposable {
  const id = randomBytes(6).toString('hex');
  const say = async () => {
    const announcement: WorkerAnnouncement = { id, ...describe() };
    await Promise.all([
      redis.set(keys.worker(id), JSON.stringify(announcement), 'PX', goneAfterMs),
      redis.sadd(keys.workers, id),
    ]);
  };
  // While Redis is away, nobody could read it.
  const sayIfPossible = () => say().catch(() => {});
  const timer = setInterval(sayIfPossible, everyMs).unref();
  let saying = sayIfPossible();

  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await saying;
      saying = Promise.all([redis.del(keys.worker(id)), redis.srem(keys.workers, id)]).then(
        () => {},
        () => {},
      );
      await saying;
    },
  };
}

/** The workers that said something lately. Those that died without a word are taken off the list. */
export async function readWorkers(redis: Redis, keys: ClusterKeys): Promise<WorkerAnnouncement[]> {
  const ids = await redis.smembers(keys.workers);
  if (ids.length === 0) return [];
  const texts = await redis.mget(...ids.map((id) => keys.worker(id)));
  const gone = ids.filter((_, index) => texts[index] === null);
  if (gone.length > 0) await redis.srem(keys.workers, ...gone);
  return texts.flatMap((text) => (text ? [JSON.parse(text) as WorkerAnnouncement] : []));
}
