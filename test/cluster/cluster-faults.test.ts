/** Workers really killed, and a Redis that really goes away. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../bench/servers/redis.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createServiceLog } from '../../src/operations/service-log.ts';
import type { Dispatcher } from '../../src/pool/dispatcher.ts';
import type { ScriptedJob, ScriptedResult } from '../contract/scripted-job.ts';
import { scriptedCluster, until } from './scripted-cluster.ts';

const server = await startRedis();
const skip = typeof server === 'string' ? server : false;
const redis = server as RedisServer;
const file = { requestId: 'a', priority: 'file' } as const;
const realtime = { requestId: 'b', priority: 'realtime' } as const;

describe('when workers die', { skip, concurrency: 4 }, () => {
  it('a window is recognised by another worker', async () => {
    const cluster = scriptedCluster(redis.url);
    await using node = await cluster.openNode();
    const dying = await cluster.startWorker();
    const job = node.run({ sleepMs: 1_500, echo: 'done' }, file);
    await until(async () => (await cluster.leftKeys()).some((key) => key.endsWith(':lock')));
    await dying.kill();
    await using _other = await cluster.openWorker();
    assert.equal((await job).echo, 'done');
    await until(async () => (await cluster.leftKeys()).length === 0);
  });

  it('a window with which two died is set aside without its audio, and its caller told', async () => {
    const cluster = scriptedCluster(redis.url);
    await using node = await cluster.openNode();
    const rejected = assert.rejects(node.run({ sleepMs: 60_000 }, file), (error) => {
      assert.ok(error instanceof ServiceError && error.code === 'unavailable');
      assert.equal(error.retryAfterSeconds, 5);
      assert.match(error.message, /given up after two tries/);
      return true;
    });
    for (const _time of [1, 2]) {
      const dying = await cluster.startWorker();
      const isTaken = async () => (await cluster.leftKeys()).some((key) => key.endsWith(':lock'));
      await until(isTaken);
      await dying.kill();
      await until(async () => !(await isTaken()));
    }
    await using _survivor = await cluster.openWorker();
    await rejected;
    await until(async () => (await cluster.leftKeys()).every((key) => !/:(input|answer|lock)/.test(key)));
    const left = await cluster.leftKeys();
    assert.equal(left.filter((key) => key.endsWith(':failed')).length, 1);
    assert.equal(left.length, 2, left.join());
  });

  it('a window with which two processes of a worker died is set aside too, and can be tried again', async () => {
    const cluster = scriptedCluster(redis.url);
    const dying: Dispatcher<ScriptedJob, ScriptedResult> = {
      run: () =>
        Promise.reject(new ServiceError('internal_error', { cause: new Error('killed by SIGKILL') })),
      async [Symbol.asyncDispose]() {},
    };
    await using node = await cluster.openNode();
    await using _worker = await cluster.openWorker({ dispatcher: dying });
    await assert.rejects(node.run({}, file), (error) => {
      assert.ok(isUnavailable(error));
      assert.match(String((error as Error).cause), /SIGKILL/);
      return true;
    });
    await until(async () => (await cluster.leftKeys()).some((key) => key.endsWith(':failed')));
  });

  it('one that ends in order hands back what it cannot finish, which does not count as a death', async () => {
    const cluster = scriptedCluster(redis.url);
    await using node = await cluster.openNode();
    let aborted = 0;
    const neverDone: Dispatcher<ScriptedJob, ScriptedResult> = {
      run: (_job, { signal }) =>
        new Promise((_resolve, reject) => {
          signal!.addEventListener('abort', () => {
            aborted += 1;
            reject(signal!.reason);
          });
        }),
      async [Symbol.asyncDispose]() {},
    };
    const job = node.run({ echo: 'done' }, file);
    for (const time of [1, 2, 3]) {
      const leaving = await cluster.openWorker({ drainMs: 20, dispatcher: neverDone });
      await until(() => leaving.busy() === 1);
      await leaving[Symbol.asyncDispose]();
      assert.equal(aborted, time);
    }
    await using _staying = await cluster.openWorker();
    assert.equal((await job).echo, 'done');
  });

  it('one that ends in order finishes what it can', async () => {
    const cluster = scriptedCluster(redis.url);
    await using node = await cluster.openNode();
    const leaving = await cluster.openWorker();
    const jobs = [1, 2].map((echo) => node.run({ sleepMs: 200, echo }, file));
    await until(() => leaving.busy() === 1);
    await leaving[Symbol.asyncDispose]();
    assert.equal((await jobs[0]!).echo, 1);
    await using _other = await cluster.openWorker();
    assert.equal((await jobs[1]!).echo, 2);
  });

  it('a job whose service is gone is not begun', async () => {
    const cluster = scriptedCluster(redis.url);
    await using node = await cluster.openNode({ lookEveryMs: 60_000 });
    const { signal, abort } = cancellable();
    const job = assert.rejects(node.run({ echo: 'lost' }, { ...file, signal }), /gone/);
    await until(async () => (await cluster.leftKeys()).some((key) => key.includes(':input:')));
    const connection = new Redis(redis.url);
    await connection.del(...(await connection.keys(`siann:${cluster.group}:input:*`)));
    connection.disconnect();
    await using _worker = await cluster.openWorker();
    await until(async () => (await cluster.leftKeys()).length === 0);
    abort();
    await job;
  });

  it('without any worker, new work is refused and old work is not kept for ever', async () => {
    const cluster = scriptedCluster(redis.url);
    let withoutWorkers = 0;
    await using node = await cluster.openNode({ withoutWorkersMs: () => withoutWorkers, outageMs: 500 });
    const old = assert.rejects(node.run({}, file), isUnavailable);
    await delay(50);
    withoutWorkers = 20_000;
    await old;
    await assert.rejects(node.run({}, file), isUnavailable);
    await until(async () => (await cluster.leftKeys()).length === 0);
  });

  it('no job takes longer than its deadline', async () => {
    const cluster = scriptedCluster(redis.url);
    await using node = await cluster.openNode({ deadlineMs: 400 });
    await using worker = await cluster.openWorker();
    await assert.rejects(node.run({ sleepMs: 60_000 }, file), isUnavailable);
    await until(() => worker.busy() === 0);
    await until(async () => (await cluster.leftKeys()).length === 0);
  });
});

describe('when Redis', { skip }, () => {
  let own: RedisServer;
  before(async () => {
    own = (await startRedis()) as RedisServer;
  });
  after(async () => {
    await own[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });

  it('loses everything, jobs are sent again', async () => {
    const cluster = scriptedCluster(own.url);
    await using node = await cluster.openNode();
    await using worker = await cluster.openWorker();
    const running = node.run({ sleepMs: 700, echo: 'running' }, file);
    const waiting = node.run({ echo: 'waiting' }, file);
    await until(() => worker.busy() === 1);
    const connection = new Redis(own.url);
    await connection.flushall();
    connection.disconnect();
    assert.equal((await running).echo, 'running');
    assert.equal((await waiting).echo, 'waiting');
    await until(async () => (await cluster.leftKeys()).length === 0);
  });

  it('is killed and started again, what was under way is answered', async () => {
    const cluster = scriptedCluster(own.url);
    await using node = await cluster.openNode();
    await using worker = await cluster.openWorker();
    const jobs = [1, 2, 3].map((echo) => node.run({ sleepMs: 300, echo }, file));
    await until(() => worker.busy() === 1);
    await own.kill();
    await delay(600);
    await own.start();
    const answers = await Promise.all(jobs);
    assert.deepEqual(
      answers.map(({ echo }) => echo),
      [1, 2, 3],
    );
    await until(async () => (await cluster.leftKeys()).length === 0);
  });

  it('is away, new files are refused soon and what is being spoken waits', async () => {
    const cluster = scriptedCluster(own.url);
    await using node = await cluster.openNode({ patienceMs: 200 });
    await using _worker = await cluster.openWorker();
    await node.run({}, file);
    await own.stop();
    let isAnswered = false;
    const spoken = node.run({ echo: 'spoken' }, realtime).finally(() => {
      isAnswered = true;
    });
    await assert.rejects(node.run({ echo: 'new' }, file), isUnavailable);
    assert.equal(isAnswered, false);
    await own.start();
    assert.equal((await spoken).echo, 'spoken');
  });

  it('answers nothing, new files are refused all the same and it goes on when it does', async () => {
    const cluster = scriptedCluster(own.url);
    await using node = await cluster.openNode({ patienceMs: 200 });
    await using _worker = await cluster.openWorker();
    await node.run({}, file);
    own.freeze();
    const spoken = node.run({ echo: 'spoken' }, realtime);
    await assert.rejects(node.run({ echo: 'new' }, file), isUnavailable);
    own.thaw();
    assert.equal((await spoken).echo, 'spoken');
    assert.equal((await node.run({ echo: 'next' }, file)).echo, 'next');
    await until(async () => (await cluster.leftKeys()).length === 0);
  });

  it('has no memory left for an answer, the log of the worker does not say what the answer was', async () => {
    const cluster = scriptedCluster(own.url);
    const connection = new Redis(own.url);
    const lines: string[] = [];
    const log = createServiceLog({ level: 'info', output: { write: (line) => lines.push(line) } });
    const spoken = 'what the patient said';
    const fillsMemory: Dispatcher<ScriptedJob, ScriptedResult> = {
      async run() {
        await connection.config('SET', 'maxmemory', '1');
        return { echo: spoken, pid: 0 };
      },
      async [Symbol.asyncDispose]() {},
    };
    await using node = await cluster.openNode({ deadlineMs: 3_000 });
    {
      await using _worker = await cluster.openWorker({ dispatcher: fillsMemory, persistenceMs: 200, log });
      const rejected = assert.rejects(node.run({}, file), isUnavailable);
      await until(() => lines.length > 0);
      await connection.config('SET', 'maxmemory', '0');
      await rejected;
    }
    connection.disconnect();
    assert.match(lines[0]!, /OOM/);
    const logged = lines.join();
    assert.ok(!logged.includes(spoken), logged);
    assert.ok(!logged.includes([...Buffer.from(spoken)].join()), logged);
  });

  it('is away for too long, nobody waits any more', async () => {
    const cluster = scriptedCluster(own.url);
    await using node = await cluster.openNode({ patienceMs: 200, outageMs: 600 });
    const sent = assert.rejects(node.run({}, file), isUnavailable);
    await delay(100);
    await own.stop();
    const spoken = assert.rejects(node.run({}, realtime), isUnavailable);
    await Promise.all([sent, spoken]);
    await own.start();
  });
});

function cancellable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('gone')) };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 503 && error.retryAfterSeconds !== undefined;
}
