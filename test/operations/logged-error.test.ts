import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { type RedisServer, startRedis } from '../../bench/servers/redis.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createServiceLog } from '../../src/operations/service-log.ts';
import { openRedis } from '../../src/storage/redis/redis.ts';

const secret = 'what the patient said';

describe('an error in the log', () => {
  it('says what failed and why, with its causes', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', port: 6379 });
    const line = logged(new ServiceError('unavailable', { cause }));
    assert.equal(line.err.type, 'ServiceError');
    assert.equal(line.err.code, 'unavailable');
    assert.match(line.err.message, /: connect ECONNREFUSED$/);
    assert.match(line.err.stack, /\ncaused by: Error: connect ECONNREFUSED\n {4}at /);
    assert.equal(logged(new AggregateError([cause])).err.errors[0].port, 6379);
    assert.equal(logged({ text: secret }).err.type, 'object');
  });

  it('has no field that is not known to be harmless, however deep it lies', () => {
    const driver = Object.assign(new Error('refused'), {
      command: { name: 'set', args: ['key', Buffer.from(secret)] },
      previousErrors: [{ args: [secret] }],
      detail: `Failing row contains (1, ${secret}).`,
      where: secret,
      payload: { deep: { text: secret } },
    });
    for (const error of [
      driver,
      new Error('outer', { cause: driver }),
      new AggregateError([driver]),
      driver.command,
    ])
      assertSilent(logged(error));
    assert.equal(logged(driver).err.command, 'set');
  });

  it('does not repeat the text that a parser or PostgreSQL refused', () => {
    const refused = new pg.DatabaseError(`invalid input syntax for type bigint: "${secret}"`, 100, 'error');
    assert.match(logged(refused).err.stack, /invalid input syntax for type bigint: …/);
    for (const error of [
      refused,
      thrownBy(() => JSON.parse(secret)),
      thrownBy(() => JSON.parse(`{"a":${secret}`)),
    ])
      assertSilent(logged(error));
  });
});

const server = await startRedis();

describe('the error of a Redis command', { skip: typeof server === 'string' ? server : false }, () => {
  const redisServer = server as RedisServer;
  after(() => redisServer[Symbol.asyncDispose]());

  it('carries no arguments: not when memory is full, not for an unknown command, not in a script', async () => {
    await using redis = await openRedis({ url: redisServer.url, log: { error() {}, info() {} } });
    const unknown = await redis.call('siann.unknown', 'key', secret).catch((error) => error);
    const script = await redis
      .eval('return redis.call("INCR", KEYS[1], ARGV[1])', 1, 'key', secret)
      .catch((error) => error);
    await redis.config('SET', 'maxmemory', '1');
    const full = await redis.set('siann:answer', Buffer.from(secret)).catch((error) => error);
    const piped = await redis.pipeline().set('siann:answer', secret).exec();
    await redis.config('SET', 'maxmemory', '0');
    assert.match(full.message, /^OOM /);
    for (const error of [unknown, script, full, piped![0]![0]]) {
      assert.ok(error instanceof Error);
      assertSilent(logged(error));
      assertSilent({ ...error, message: error.message, stack: error.stack });
    }
  });
});

function logged(err: unknown) {
  const lines: string[] = [];
  createServiceLog({ level: 'info', output: { write: (line) => lines.push(line) } }).warn({ err }, 'failed');
  return JSON.parse(lines[0]!);
}

/** Neither as text nor as bytes, not even its beginning. */
function assertSilent(line: object): void {
  const text = JSON.stringify(line);
  const beginning = secret.slice(0, 8);
  assert.ok(!text.includes(beginning), text);
  assert.ok(!text.includes([...Buffer.from(beginning)].join()), text);
}

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
