import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../../bench/servers/postgres.ts';
import { type RedisServer, startRedis } from '../../bench/servers/redis.ts';
import { createInvalidKeyDelay } from '../../src/accounts/keys/invalid-key-delay.ts';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { createSignInDelay } from '../../src/accounts/sign-in/sign-in-delay.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { openRedis } from '../../src/storage/redis/redis.ts';
import { createRedisCounters } from '../../src/storage/redis/redis-counters.ts';
import { type AccountTestbed, createAccountTestbed, sign, startGate } from '../support/accounts.ts';

type Node = Awaited<ReturnType<typeof startNode>>;

const [postgres, redis] = [await startPostgres(), await startRedis()];
const missing = [postgres, redis].find((server) => typeof server === 'string');
const log = { error() {}, info() {} };

/** What a process has of its own: connections, counters and a gate. */
async function startNode(databaseUrl: string, name: string) {
  const database = await openDatabase({ url: databaseUrl });
  const connection = await openRedis({ url: (redis as RedisServer).url, log });
  const counters = createRedisCounters({ redis: connection, node: name });
  const gate = await startGate({ database, counters, instance: name, log });
  return {
    database,
    counters,
    gate,
    async [Symbol.asyncDispose]() {
      for (const part of [gate, counters, connection, database]) await part[Symbol.asyncDispose]();
    },
  };
}

describe('several nodes over one PostgreSQL and one Redis', { skip: missing ?? false }, () => {
  let testbed: AccountTestbed;
  let nodes: [Node, Node];
  before(async () => {
    testbed = await createAccountTestbed(() => (postgres as PostgresServer).createDatabase());
    nodes = [await startNode(testbed.url, 'one'), await startNode(testbed.url, 'other')];
  });
  after(async () => {
    for (const part of [...nodes, testbed]) await part[Symbol.asyncDispose]();
    await (redis as RedisServer)[Symbol.asyncDispose]();
    await (postgres as PostgresServer)[Symbol.asyncDispose]();
  });

  it('all refuse a key within a second after it was revoked through another, and end its work', async () => {
    const { key, id } = await testbed.createKey();
    const leases = await Promise.all(
      nodes.map(({ gate }) => gate.admit(testbed.credential(key), 'connection')),
    );
    const ended = leases.map(
      ({ revoked }) =>
        new Promise<number>((resolve) =>
          revoked.addEventListener('abort', () => resolve(performance.now()), { once: true }),
        ),
    );
    await using third = await openDatabase({ url: testbed.url });
    const revokedAt = performance.now();
    await createAccounts({ database: third }).keys.revoke(id);
    for (const { gate } of nodes)
      await assert.rejects(gate.admit(testbed.credential(key), 'call'), { code: 'invalid_api_key' });
    for (const endedAt of await Promise.all(ended))
      assert.ok(endedAt - revokedAt < 1000, `${endedAt - revokedAt} ms`);
    await Promise.all(leases.map((lease) => lease.close()));
  });

  it('share the rate and the permits of a key', async () => {
    const { key } = await testbed.createKey();
    const [one, other] = nodes;
    const leases = [];
    for (const { gate } of [one, other]) leases.push(await gate.admit(testbed.credential(key), 'connection'));
    for (const { gate } of nodes)
      await assert.rejects(gate.admit(testbed.credential(key), 'connection'), {
        code: 'concurrency_exceeded',
      });
    await leases[1]!.close();
    leases.push(await one.gate.admit(testbed.credential(key), 'connection'));
    await assert.rejects(
      async () => {
        for (let call = 0; call < 10; call += 1)
          await nodes[call % 2]!.gate.admit(testbed.credential(key), 'call');
      },
      { code: 'rate_limit_exceeded' },
    );
    await Promise.all(leases.map((lease) => lease.close()));
  });

  it('take a signature once, and a token once', async () => {
    const { key, id } = await testbed.createKey();
    const [one, other] = nodes;
    const lease = await one.gate.admit(testbed.credential(key), 'call');
    const { token } = await lease.issueToken();
    const withToken = () => testbed.credential(undefined, { streamToken: token });
    const connection = await other.gate.admit(withToken(), 'connection');
    await connection.close();
    await assert.rejects(one.gate.admit(withToken(), 'connection'), { code: 'invalid_api_key' });

    const { signingSecret } = await testbed.accounts.keys.requireSignature(id);
    const request = { method: 'GET', url: '/v1/account', timestamp: Math.floor(Date.now() / 1000) };
    const signed = () => testbed.credential(key, { ...request, ...sign(signingSecret, request) });
    await one.gate.admit(signed(), 'call');
    await assert.rejects(other.gate.admit(signed(), 'call'), { code: 'invalid_signature' });
  });

  it('count the wrong keys of an address together, and the wrong passwords of a name', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => waits.push(milliseconds);
    const delays = nodes.map(({ counters }) => createInvalidKeyDelay({ counters, wait }));
    for (let failure = 0; failure < 8; failure += 1) await delays[failure % 2]!('198.51.100.7');
    assert.deepEqual(waits.splice(0), [100, 200, 400]);

    const attempts = nodes.map(({ counters }) => createSignInDelay({ counters, wait }));
    for (let failure = 0; failure < 7; failure += 1) {
      const who = { name: 'mei', address: `192.0.2.${failure}` };
      assert.equal(await attempts[failure % 2]!.attempt(who, async () => false), false);
    }
    assert.deepEqual(waits, [250, 500]);
  });

  it('let nobody in while Redis is away, and everybody again when it is back', async () => {
    const { key } = await testbed.createKey();
    const server = redis as RedisServer;
    const held = await nodes[0].gate.admit(testbed.credential(key), 'connection');
    await server.kill();
    for (const { gate } of nodes) {
      const begunAt = performance.now();
      await assert.rejects(gate.admit(testbed.credential(key), 'call'), { code: 'unavailable', status: 503 });
      assert.ok(performance.now() - begunAt < 1500);
    }
    await server.start();
    await delay(700);
    for (const { gate } of nodes) await gate.admit(testbed.credential(key), 'call');
    await held.close();
  });
});
