import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { Type } from 'typebox';
import type { ClusterKeys } from './cluster-keys.ts';
import { createCheckedReader } from './queue/checked-json.ts';

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

// A node believes a worker in what a worker can be. More than this is nobody's, whatever lies in Redis.
const mostWorkers = 1_000;
const maxBytes = 4_096;
const name = Type.String({ maxLength: 300 });
const count = Type.Integer({ minimum: 0, maximum: 4_096 });

const readAnnouncement = createCheckedReader<WorkerAnnouncement>({
  what: 'The announcement of a worker',
  maxBytes,
  schema: Type.Object({
    id: name,
    host: name,
    version: name,
    model: name,
    processes: count,
    slots: count,
    fileSlots: count,
    busySlots: count,
    rssBytes: Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
});

/** The workers that said something lately. Those that died without a word are taken off the list. */
export async function readWorkers(redis: Redis, keys: ClusterKeys): Promise<WorkerAnnouncement[]> {
  const ids = await redis.srandmember(keys.workers, mostWorkers);
  const said = await Promise.all(ids.map((id) => redis.getrangeBuffer(keys.worker(id), 0, maxBytes)));
  const gone = ids.filter((_, index) => said[index]!.length === 0);
  if (gone.length > 0) await redis.srem(keys.workers, ...gone);
  return said.flatMap((bytes) => {
    try {
      return bytes.length === 0 ? [] : [readAnnouncement(bytes)];
    } catch {
      // Whoever wrote that is no worker of this version.
      return [];
    }
  });
}
