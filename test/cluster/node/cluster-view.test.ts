import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../../bench/servers/redis.ts';
import { clusterGroup, clusterKeys } from '../../../src/cluster/cluster-keys.ts';
import { joinAsNode } from '../../../src/cluster/node/join-as-node.ts';
import { joinAsWorker } from '../../../src/cluster/worker/join-as-worker.ts';
import { readWorkers } from '../../../src/cluster/worker-announcement.ts';
import type { LocalDispatcher } from '../../../src/pool/local-dispatcher.ts';
import { runScripted, type ScriptedJob, type ScriptedResult } from '../../contract/scripted-job.ts';
import { plainCodec } from '../plain-codec.ts';
import { until } from '../scripted-cluster.ts';

const server = await startRedis();
const skip = typeof server === 'string' ? server : false;
const { url } = server as RedisServer;
const log = { info() {}, warn() {}, error() {} };
const codec = { ...plainCodec<ScriptedJob, ScriptedResult>(), audioSeconds: () => 10 };
const file = { requestId: 'a', priority: 'file' } as const;

describe('a service that leaves recognition to workers', { skip }, () => {
  after(() => (server as RedisServer)[Symbol.asyncDispose]());

  it('is ready when a worker is, and knows what all of them do', async () => {
    const group = clusterGroup({ model: 'view' });
    await using node = await joinAsNode({ url, group, codec, log });
    let ready = false;
    const becomingReady = node.ready().then(() => {
      ready = true;
    });
    assert.deepEqual(node.load(), { processes: 0, busySlots: 0, queued: 0 });
    assert.equal(node.windowsAtOnce(), 2);
    const early = node.dispatcher.run({ echo: 'early' }, file);
    await until(() => node.load().queued === 1);
    assert.equal(ready, false);

    await using _one = await joinWorker(group, 1);
    await using _two = await joinWorker(group, 2);
    await becomingReady;
    assert.equal((await early).echo, 'early');
    await until(() => node.load().processes === 3);
    assert.equal(node.windowsAtOnce(), Math.ceil(1.5 * 3 * 4) + 2);

    const jobs = Array.from({ length: 5 }, () => node.dispatcher.run({ sleepMs: 3_000 }, file));
    await until(() => node.load().busySlots === 5);
    await Promise.all(jobs);
    const redis = new Redis(url);
    const announced = await readWorkers(redis, clusterKeys(group));
    redis.disconnect();
    assert.deepEqual(announced.map(({ model, version, slots }) => [model, version, slots]).sort(), [
      ['scripted', '1.2.3', 12],
      ['scripted', '1.2.3', 6],
    ]);
  });

  it('believes no announcement that cannot be one of a worker', async () => {
    const group = clusterGroup({ model: 'boasting' });
    const keys = clusterKeys(group);
    const redis = new Redis(url);
    await using _honest = await joinWorker(group, 1);
    await until(async () => (await readWorkers(redis, keys)).length === 1);
    const [honest] = await readWorkers(redis, keys);
    const boasts = {
      greedy: JSON.stringify({ ...honest, fileSlots: 1e9 }),
      negative: JSON.stringify({ ...honest, processes: -5 }),
      wordy: JSON.stringify({ ...honest, host: 'x'.repeat(10_000) }),
      none: 'true',
      broken: '{',
    };
    for (const [id, text] of Object.entries(boasts)) {
      await redis.set(keys.worker(id), text);
      await redis.sadd(keys.workers, id);
    }
    assert.deepEqual(
      (await readWorkers(redis, keys)).map(({ id }) => id),
      [honest!.id],
    );
    redis.disconnect();
  });

  it('forgets a worker that has left, and strikes off one that died', async () => {
    const group = clusterGroup({ model: 'leaving' });
    const keys = clusterKeys(group);
    const redis = new Redis(url);
    await using leaving = await joinWorker(group, 1);
    await redis.sadd(keys.workers, 'died-without-a-word');
    await until(async () => (await readWorkers(redis, keys)).length === 1);
    assert.equal(await redis.scard(keys.workers), 1);
    await leaving[Symbol.asyncDispose]();
    assert.deepEqual(await readWorkers(redis, keys), []);
    assert.deepEqual(await redis.keys(`siann:${group}:*`), []);
    redis.disconnect();
  });
});

it('services and workers that would recognise otherwise are not of one group', () => {
  const one = clusterGroup({ model: 'small', adapter: 'own' });
  assert.equal(one, clusterGroup({ adapter: 'own', model: 'small' }));
  assert.notEqual(one, clusterGroup({ model: 'small', adapter: 'none' }));
});

/** Six slots a process, of which four are for files. */
function joinWorker(group: string, processes: number) {
  const dispatcher: LocalDispatcher<ScriptedJob, ScriptedResult> = {
    run: (job, { signal }) => runScripted(job, signal!),
    ready: async () => {},
    stats: () => ({ processes, busySlots: 0, queued: 0, restarts: 0, rssBytes: 1 }),
    async [Symbol.asyncDispose]() {},
  };
  const slotsFor = { realtime: 6, interactive: 5, file: 4 };
  const said = { model: 'scripted', version: '1.2.3', drainMs: 1_000 };
  return joinAsWorker({ url, group, codec, dispatcher, slotsFor, log, ...said });
}
