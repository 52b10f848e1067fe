import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { diedTwice } from '../../src/cluster/cluster-worker.ts';
import type { Database } from '../../src/storage/database.ts';
import { openLeases } from '../realtime/open-leases.ts';
import type { Cluster } from './cluster.ts';

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
];

/** Everything of requests long over that is still somewhere: leases, reservations, jobs, audio, places, files. */
export async function leftBehind(cluster: Cluster, key: string): Promise<string[]> {
  const left: string[] = [];
  for (const { name, port } of cluster.apis) {
    const leases = await openLeases({ port, ca: cluster.ca, key });
    if (leases !== 0) left.push(`${name}: ${leases} leases`);
  }
  left.push(...(await cluster.folder.withDatabase(heldReservations)));
  const aside = new Set((await setAside(cluster.redis.url)).flatMap(({ names }) => names));
  const names = await redisKeys(cluster.redis.url);
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

/** A job's record, and the list in which it stands. */
export type SetAside = { names: string[] };

/** Jobs with which two workers died: a queue keeps their records, without their audio, for operators. */
export function setAside(url: string): Promise<SetAside[]> {
  return withRedis(url, async (redis) => {
    const queues = (await namesIn(redis)).filter((name) => name.endsWith(':failed'));
    const found = queues.map(async (queue) => {
      const ids = await redis.zrange(queue, '0', '-1');
      const records = ids.map((id) => `${queue.slice(0, -'failed'.length)}${id}`);
      const reasons = await Promise.all(records.map((record) => redis.hget(record, 'failedReason')));
      // Whatever else has failed should not have.
      return reasons.every((reason) => reason === diedTwice) ? records.map((record) => [record, queue]) : [];
    });
    return (await Promise.all(found)).flat().map((names) => ({ names }));
  });
}

async function heldReservations({ queries }: Database): Promise<string[]> {
  const held = await queries.selectFrom('reservations').select(['request_id', 'instance']).execute();
  return held.map(({ request_id, instance }) => `reservation ${request_id} of ${instance}`);
}

async function redisKeys(url: string): Promise<string[]> {
  return withRedis(url, namesIn);
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
