import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../../../bench/servers/redis.ts';
import { clusterKeys, nodeOf } from '../../../src/cluster/cluster-keys.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import type { Priority } from '../../../src/pool/dispatcher.ts';
import { createLocalDispatcher } from '../../../src/pool/local-dispatcher.ts';
import { dispatcherContract } from '../../contract/dispatcher-contract.ts';
import type { ScriptedJob, ScriptedResult } from '../../contract/scripted-job.ts';
import { plainCodec } from '../plain-codec.ts';
import { scriptedCluster, until } from '../scripted-cluster.ts';

const server = await startRedis();
const skip = typeof server === 'string' ? server : false;
const url = typeof server === 'string' ? '' : server.url;
const file = { requestId: 'a', priority: 'file' } as const;
const interactive = { requestId: 'b', priority: 'interactive' } as const;

if (typeof server !== 'string') {
  after(() => server[Symbol.asyncDispose]());

  dispatcherContract('the cluster dispatcher', async ({ processes, slots, moduleUrl }) => {
    const cluster = scriptedCluster(url);
    const local = createLocalDispatcher<object, ScriptedJob, ScriptedResult>({
      moduleUrl,
      processes,
      slots,
      settings: {},
    });
    await local.ready();
    const worker = await cluster.openWorker({ dispatcher: local, slotsFor: () => processes * slots });
    const node = await cluster.openNode();
    return {
      run: node.run,
      async [Symbol.asyncDispose]() {
        for (const part of [node, worker, local]) await part[Symbol.asyncDispose]();
      },
    };
  });
}

describe('the cluster dispatcher', { skip }, () => {
  it('leaves nothing in Redis, whatever became of its jobs', async () => {
    const cluster = scriptedCluster(url);
    {
      await using _worker = await cluster.openWorker();
      await using node = await cluster.openNode();
      await node.run({ echo: 1, sum: new Float32Array(10_000) }, file);
      await assert.rejects(node.run({ fail: { message: 'no' } }, file), /^RangeError: no$/);
      const running = cancellable();
      const cancelled = node.run({ sleepMs: 60_000 }, { ...file, signal: running.signal });
      const waiting = cancellable();
      const never = node.run({ echo: 2 }, { ...file, signal: waiting.signal });
      await delay(100);
      for (const { abort } of [waiting, running]) abort();
      await assert.rejects(never, /gone/);
      await assert.rejects(cancelled, /gone/);
      assert.equal((await node.run({ echo: 3 }, interactive)).echo, 3);
      await until(async () => (await cluster.leftKeys()).length === 0);
    }
    assert.deepEqual(await cluster.leftKeys(), []);
  });

  it('does not take more of an answer than one can have, and refuses it', async () => {
    const cluster = scriptedCluster(url);
    const maxResultBytes = 100_000;
    await using node = await cluster.openNode({ codec: { ...plainCodec(), maxResultBytes } });
    const keys = clusterKeys(cluster.group);
    const refused = assert.rejects(node.run({ echo: 1 }, file), (error) => {
      assert.ok(error instanceof ServiceError && error.code === 'unavailable');
      assert.match(String(error.cause), /longer than 100000 bytes/);
      return true;
    });
    await until(async () => (await cluster.leftKeys()).some((key) => key.includes(':input:')));
    const id = (await cluster.leftKeys())
      .find((key) => key.includes(':input:'))!
      .split(':')
      .at(-1)!;
    const readBefore = node.redis.stream.bytesRead;
    const hostile = new Redis(url);
    await hostile.set(keys.answer(id), Buffer.alloc(50_000_000, 1));
    await hostile.publish(keys.answered(nodeOf(id)), id);
    await refused;
    const read = node.redis.stream.bytesRead - readBefore;
    assert.ok(read < 2 * maxResultBytes, `${read} bytes were read`);
    // The job itself is still there for a worker, which finds that nobody wants it.
    assert.equal(await hostile.exists(keys.answer(id)), 0);
    hostile.disconnect();
  });

  it('spreads jobs over idle workers before it fills one', async () => {
    const cluster = scriptedCluster(url);
    await using one = await cluster.openWorker({ slotsFor: () => 4 });
    await using two = await cluster.openWorker({ slotsFor: () => 4 });
    await using node = await cluster.openNode();
    const jobs = [1, 2, 3, 4].map((echo) => node.run({ sleepMs: 300, echo }, file));
    await until(async () => one.busy() + two.busy() === 4);
    assert.deepEqual([one.busy(), two.busy()], [2, 2]);
    await Promise.all(jobs);
  });

  it('a worker keeps slots for what is more urgent', async () => {
    const cluster = scriptedCluster(url);
    const slots: Record<Priority, number> = { realtime: 3, interactive: 2, file: 1 };
    await using worker = await cluster.openWorker({ slotsFor: (priority) => slots[priority] });
    await using node = await cluster.openNode();
    const long = [file, file, interactive, interactive].map((options) => node.run({ sleepMs: 400 }, options));
    await until(async () => worker.busy() === 2);
    await delay(50);
    assert.equal(worker.busy(), 2);
    await node.run({ echo: 'said' }, { requestId: 'c', priority: 'realtime' });
    await Promise.all(long);
  });

  it('keeps back jobs that Redis need not hold yet, and sends those of all requests round robin', async () => {
    const cluster = scriptedCluster(url);
    await using node = await cluster.openNode({ maxFileJobs: () => 2 });
    const order: unknown[] = [];
    const jobs = ['a', 'a', 'a', 'a', 'b'].map(async (requestId, number) => {
      const { echo } = await node.run({ echo: `${requestId}${number}` }, { ...file, requestId });
      order.push(echo);
    });
    await delay(100);
    const inputs = (await cluster.leftKeys()).filter((key) => key.includes(':input:'));
    assert.equal(inputs.length, 2);
    await using _worker = await cluster.openWorker();
    await Promise.all(jobs);
    assert.ok(order.indexOf('b4') < order.indexOf('a3'), order.join());
  });

  it('two services share workers, and each gets its own answers', async () => {
    const cluster = scriptedCluster(url);
    await using _worker = await cluster.openWorker({ slotsFor: () => 2 });
    await using one = await cluster.openNode();
    await using two = await cluster.openNode();
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.map((echo) => (echo % 2 ? one : two).run({ echo }, { ...file, requestId: `${echo}` })),
    );
    assert.deepEqual(
      answers.map(({ echo }) => echo),
      numbers,
    );
  });

  it('workers of another group never see its jobs', async () => {
    await using _stranger = await scriptedCluster(url).openWorker();
    const cluster = scriptedCluster(url);
    await using node = await cluster.openNode();
    const { signal, abort } = cancellable();
    let answered = false;
    const job = node.run({}, { ...file, signal }).then(() => {
      answered = true;
    });
    await delay(500);
    assert.equal(answered, false);
    abort();
    await assert.rejects(job, /gone/);
  });
});

function cancellable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('gone')) };
}
