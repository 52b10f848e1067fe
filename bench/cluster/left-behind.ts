import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { diedTwice } from '../../src/cluster/worker/job-runner.ts';
import type { Database } from '../../src/storage/database.ts';
import { openLeases } from '../realtime/open-leases.ts';
import type { Cluster } from './cluster.ts';

/** Names records, each of which is looked at by itself. */
const failedList = /:failed$/;
/** What stays in Redis for good: a queue's own counters, and who is at work. */
const lasting = [
  /:meta$/,
  /:id$/,
  /:pc$/,
  /:events$/,
  /:marker$/,
  /:stalled-check$/,
  /:workers$/,
  /:worker:/,
  failedList,
];

/** Everything of requests long over that is still somewhere: leases, reservations, jobs, audio, permits, files. */
export async function leftBehind(cluster: Cluster, key: string): Promise<string[]> {
  const left: string[] = [];
  for (const { name, port } of cluster.apis) {
    const leases = await openLeases({ port, ca: cluster.ca, key });
    if (leases !== 0) left.push(`${name}: ${leases} leases`);
  }
  left.push(...(await cluster.folder.withDatabase(heldReservations)));
  const aside = new Set(await setAside(cluster.redis.url));
  const names = await withRedis(cluster.redis.url, namesIn);
  left.push(...names.filter((name) => !aside.has(name) && !lasting.some((kind) => kind.test(name))));
  const files = await readdir(cluster.temporaryFolder, { recursive: true });
  // The compiler's own cache.
  left.push(...files.filter((file) => !/^(tsx-|node-compile-cache)/.test(file)));
  return left;
}

/** The same once everything has had the time to expire; what is still there then. */
export async function leftBehindAfter(cluster: Cluster, key: string, withinMs: number): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const left = await leftBehind(cluster, key);
    if (left.length === 0 || performance.now() > deadline) return left;
    await sleep(500);
  }
}

/** Records of jobs with which two workers died: queues keep them for operators. Whatever else has failed should not have. */
export function setAside(url: string): Promise<string[]> {
  return withRedis(url, async (redis) => {
    const records: string[] = [];
    for (const list of (await namesIn(redis)).filter((name) => failedList.test(name))) {
      for (const id of await redis.zrange(list, '0', '-1')) {
        const record = list.replace(failedList, `:${id}`);
        if ((await redis.hget(record, 'failedReason')) === diedTwice) records.push(record);
      }
    }
    return records;
  });
}

async function heldReservations({ queries }: Database): Promise<string[]> {
  const held = await queries.selectFrom('reservations').select(['request_id', 'instance']).execute();
  return held.map(({ request_id, instance }) => `reservation ${request_id} of ${instance}`);
}

async function namesIn(redis: Redis): Promise<string[]> {
  const found: string[] = [];
  for await (const names of redis.scanStream({ count: 1000 })) found.push(...names);
  return [...new Set(found)];
}

async function withRedis<T>(url: string, ask: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await ask(redis);
  } finally {
    redis.disconnect();
  }
}
