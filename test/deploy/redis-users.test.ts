/** Nodes and workers run as the users of Redis that deploy/ makes, and a worker reaches nothing that is not its own. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../bench/servers/redis.ts';
import { createStreamTokens } from '../../src/accounts/keys/stream-tokens.ts';
import { clusterGroup, clusterKeys } from '../../src/cluster/cluster-keys.ts';
import { joinAsNode } from '../../src/cluster/node/join-as-node.ts';
import { joinAsWorker } from '../../src/cluster/worker/join-as-worker.ts';
import type { LocalDispatcher } from '../../src/pool/local-dispatcher.ts';
import { parseEnvFile } from '../../src/settings/environment-files.ts';
import { openRedis } from '../../src/storage/redis/redis.ts';
import { createRedisCounters } from '../../src/storage/redis/redis-counters.ts';
import { plainCodec } from '../cluster/plain-codec.ts';
import { until } from '../cluster/scripted-cluster.ts';
import { runScripted, type ScriptedJob, type ScriptedResult } from '../contract/scripted-job.ts';

const folder = mkdtempSync(join(tmpdir(), 'siann-redis-users-'));
execFileSync(fileURLToPath(new URL('../../deploy/make-secrets.sh', import.meta.url)), [folder]);
/** Beside the two of Siann, one that may see what was refused. */
const observer = 'redis://observer:test@';
const configPath = join(folder, 'redis.conf');
execFileSync('sh', ['-c', `echo 'user observer on >test ~* &* +@all' >> '${configPath}'`]);
const server = await startRedis({ keepsData: false, configPath });
const skip = typeof server === 'string' ? server : false;
const log = { info() {}, warn() {}, error() {} };
const secret = 'the secret of this installation, long';

describe('the users of Redis', { skip }, () => {
  const host = skip ? '' : new URL((server as RedisServer).url).host;
  const urlOf = (role: 'api' | 'worker') => {
    const url = new URL(parseEnvFile(readFileSync(join(folder, `${role}.env`), 'utf8')).SIANN_REDIS_URL!);
    url.host = host;
    return url.href;
  };
  let worker: Redis;
  let admin: Redis;
  before(() => {
    worker = new Redis(urlOf('worker'));
    admin = new Redis(`${observer}${host}`);
  });
  after(async () => {
    for (const connection of [worker, admin]) connection.disconnect();
    await (server as RedisServer)[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('may do all that nodes and workers do: nothing is refused', async () => {
    await admin.call('ACL', 'LOG', 'RESET');
    const group = clusterGroup({ model: 'users' });
    const codec = plainCodec<ScriptedJob, ScriptedResult>();
    const common = { group, codec, log };
    {
      await using node = await joinAsNode({ ...common, url: urlOf('api') });
      await using _worker = await joinAsWorker({
        ...common,
        url: urlOf('worker'),
        dispatcher: inThisProcess(),
        slotsFor: { realtime: 2, interactive: 1, file: 1 },
        model: 'scripted',
        version: '1',
        drainMs: 50,
      });
      await node.ready();
      const run = (job: ScriptedJob, priority: 'realtime' | 'interactive' | 'file') =>
        node.dispatcher.run(job, { requestId: 'a', priority });
      for (const priority of ['realtime', 'interactive', 'file'] as const)
        assert.equal((await run({ echo: priority }, priority)).echo, priority);
      await assert.rejects(run({ fail: { message: 'no' } }, 'file'), /no/);
      const abort = new AbortController();
      const cancelled = node.dispatcher.run(
        { sleepMs: 60_000 },
        { requestId: 'b', priority: 'file', signal: abort.signal },
      );
      await until(() => node.load().busySlots === 1);
      const waiting = run({ echo: 'waited' }, 'file');
      abort.abort(new Error('gone'));
      await assert.rejects(cancelled, /gone/);
      assert.equal((await waiting).echo, 'waited');
    }
    await using redis = await openRedis({ url: urlOf('api'), log });
    await using counters = createRedisCounters({ redis, node: 'here', secret });
    assert.equal(await counters.takeToken('a', 5), 0);
    assert.equal(await counters.takePermit('a', 1), true);
    await counters.returnPermit('a');
    assert.equal(await counters.noteOnce('a', 1_000), true);
    assert.equal(await counters.countUp('a', 1_000), 1);
    assert.equal(await counters.readCount('a'), 1);
    await counters.forgetCount('a');
    assert.deepEqual(await admin.call('ACL', 'LOG'), []);
  });

  it('keep a worker from limits, notes, counts and tokens, and from the answers of others', async () => {
    await using redis = await openRedis({ url: urlOf('api'), log });
    await using counters = createRedisCounters({ redis, node: 'here', secret });
    await counters.noteOnce('signature', 60_000);
    await counters.countUp('sign-in', 60_000);
    await counters.putOneTimeValue('token', 'the hash of a key', 60_000);
    const keys = clusterKeys(clusterGroup({ model: 'users' }));
    const refused: [string, ...string[]][] = [
      ['HGETALL', 'siann:parcel:token'],
      ['HSET', 'siann:parcel:forged', 'content', 'x'],
      ['DEL', 'siann:note:signature'],
      ['DEL', 'siann:count:sign-in'],
      ['SET', 'siann:rate:key', '0'],
      ['ZADD', 'siann:places:key', '9', 'x'],
      ['GET', keys.answer('x')],
      ['GETRANGE', keys.answer('x'), '0', '9'],
      ['SMEMBERS', keys.workers],
      ['SET', 'anything', 'x'],
      ['EVAL', "return redis.call('HGETALL', 'siann:parcel:token')", '0'],
      ['EVAL', "return redis.call('KEYS', '*')", '0'],
      ['SUBSCRIBE', 'elsewhere'],
      ['PUBLISH', '__keyspace@0__:x', 'x'],
      ...[
        'KEYS *',
        'SCAN 0',
        'RANDOMKEY',
        'FLUSHALL',
        'FLUSHDB',
        'CONFIG GET *',
        'ACL LIST',
        'ACL WHOAMI',
        'MONITOR',
      ].map((text) => text.split(' ') as [string, ...string[]]),
      ...[
        'CLIENT LIST',
        'SLOWLOG GET',

        'SHUTDOWN',
        'SAVE',
        'MODULE LIST',
        'FUNCTION LIST',
        'MIGRATE a 1 b 0 1',
        'REPLICAOF a 1',
        'DBSIZE',
        'SCRIPT FLUSH',
      ].map((text) => text.split(' ') as [string, ...string[]]),
    ];
    for (const [command, ...values] of refused)
      await assert.rejects(
        worker.call(command, ...values),
        /NOPERM|can't (access|run)/i,
        `${command} ${values}`,
      );
    assert.equal(await counters.takeOneTimeValue('token'), 'the hash of a key');
    assert.equal(await counters.noteOnce('signature', 60_000), false);
  });

  it('are the only ones: without a password, or with the default user, nothing is possible', async () => {
    for (const url of [`redis://${host}`, `redis://default:x@${host}`, `redis://api:wrong@${host}`]) {
      const stranger = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
      stranger.on('error', () => {});
      await assert.rejects(stranger.connect().then(() => stranger.get('siann:parcel:token')));
      stranger.disconnect();
    }
  });
});

describe('one-time values in Redis', { skip }, () => {
  it('say nothing to whoever reads them, and cannot be made up or moved', async () => {
    const own = (await startRedis({ keepsData: false })) as RedisServer;
    await using _own = own;
    await using redis = await openRedis({ url: own.url, log });
    await using counters = createRedisCounters({ redis, node: 'here', secret });
    await using elsewhere = createRedisCounters({ redis, node: 'there', secret });
    await using forger = createRedisCounters({
      redis,
      node: 'worker',
      secret: 'another secret, which is as long as that',
    });
    await using plain = createRedisCounters({ redis, node: 'worker' });
    const keyHash = 'a'.repeat(64);
    const tokens = createStreamTokens({ counters, clock: Date });
    const { token } = await tokens.issue(keyHash, 'from a page');

    const [key] = await redis.keys('siann:parcel:*');
    assert.doesNotMatch(JSON.stringify(await redis.hgetall(key!)), /aaaa|keyHash|from a page/);
    assert.doesNotMatch(key!, new RegExp(token));

    // Whoever knows a key's hash and may write to Redis still cannot open a stream with it.
    for (const counter of [forger, plain]) {
      const forged = await createStreamTokens({ counters: counter, clock: Date }).issue(keyHash);
      assert.equal(await tokens.redeem(forged.token), undefined);
    }
    await counters.putOneTimeValue('one', 'its value', 60_000);
    await redis.rename('siann:parcel:one', 'siann:parcel:another');
    assert.equal(await counters.takeOneTimeValue('another'), undefined);

    assert.deepEqual(await createStreamTokens({ counters: elsewhere, clock: Date }).redeem(token), {
      keyHash,
      note: 'from a page',
    });
    assert.equal(await tokens.redeem(token), undefined, 'once');
  });

  it('hide the hash of a key even where no secret is set', async () => {
    const own = (await startRedis({ keepsData: false })) as RedisServer;
    await using _own = own;
    await using redis = await openRedis({ url: own.url, log });
    await using counters = createRedisCounters({ redis, node: 'here' });
    const tokens = createStreamTokens({ counters, clock: Date });
    const { token } = await tokens.issue('b'.repeat(64));
    const [key] = await redis.keys('siann:parcel:*');
    assert.doesNotMatch(JSON.stringify(await redis.hgetall(key!)), /bbbb|keyHash/);
    assert.deepEqual(await tokens.redeem(token), { keyHash: 'b'.repeat(64) });
  });
});

function inThisProcess(): LocalDispatcher<ScriptedJob, ScriptedResult> {
  return {
    run: (job, { signal }) => runScripted(job, signal ?? new AbortController().signal),
    ready: async () => {},
    stats: () => ({ processes: 1, busySlots: 0, queued: 0, restarts: 0, rssBytes: 1 }),
    async [Symbol.asyncDispose]() {},
  };
}
