import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../../../bench/servers/postgres.ts';
import { type RedisServer, startRedis } from '../../../bench/servers/redis.ts';
import { startService, type TestRequest, type TestService } from '../../support/service.ts';
import { connectStream, type Refusal, silence } from '../../support/stream-client.ts';
import { toWave } from '../../support/wave.ts';

const [postgres, redis] = [await startPostgres(), await startRedis()];
const missing = [postgres, redis].find((server) => typeof server === 'string');

describe('the service without its PostgreSQL or its Redis', { skip: missing ?? false }, () => {
  let service: TestService;
  before(async () => {
    const { url } = await (postgres as PostgresServer).createDatabase();
    const env = { SIANN_DATABASE_URL: url, SIANN_REDIS_URL: (redis as RedisServer).url };
    service = await startService({ env });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await (redis as RedisServer)[Symbol.asyncDispose]();
    await (postgres as PostgresServer)[Symbol.asyncDispose]();
  });

  for (const [name, server] of Object.entries({ PostgreSQL: postgres, Redis: redis })) {
    it(`answers 503 with Retry-After while ${name} is away, keeps its streams, and goes on by itself`, async () => {
      const { kill, start } = server as RedisServer;
      await using stream = await connectStream(service);
      await stream.until(({ type }) => type === 'session.begin');
      stream.send(silence(1));
      await kill();
      for (const [path, request] of requests) {
        const begunAt = performance.now();
        const { status, headers, text } = await service.fetch(path, request);
        assert.equal(status, 503, `${path} ${text}`);
        assert.ok(Number(headers['retry-after']) > 0, path);
        assert.match(text, /"code":"overloaded"/);
        assert.ok(performance.now() - begunAt < 2000, `${path} took ${performance.now() - begunAt} ms`);
      }
      const refusal: Refusal = await connectStream(service).then(
        () => assert.fail('it was let in'),
        (error) => error,
      );
      assert.equal(refusal.status, 503);
      await untilReadyzIs(503);
      assert.equal((await service.fetch('/healthz')).status, 200);
      stream.send(silence(1));

      await start();
      await delay(600);
      for (const [path, request] of requests) {
        const { status, text } = await service.fetch(path, request);
        assert.ok(status < 500, `${path} ${status} ${text}`);
      }
      await untilReadyzIs(200);
      stream.send(silence(1));
      stream.send({ type: 'close' });
      const { audio_seconds, billed_seconds } = await stream.until(({ type }) => type === 'session.end');
      assert.deepEqual([audio_seconds, billed_seconds], [3, 3]);
      assert.equal((await stream.closed).code, 1000);
    });
  }

  /** The servers are asked once a second, however often somebody wants to know. */
  async function untilReadyzIs(expected: number): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const { status } = await service.fetch('/readyz');
      if (status === expected) return;
      assert.ok(performance.now() < deadline, `/readyz still answers ${status}`);
      await delay(100);
    }
  }
});

const requests: [path: string, request: TestRequest][] = [
  ['/v1/account', {}],
  ['/v1/usage', {}],
  ['/v1/models', {}],
  ['/v1/account', { headers: { authorization: `Bearer sk_live_${'x'.repeat(32)}` } }],
  ['/v1/speech/realtime/tokens', { method: 'POST' }],
  ['/v1/audio/transcriptions', upload()],
  [
    '/console/api/sign-in',
    {
      method: 'POST',
      headers: {
        'x-siann-console': '1',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'mei', password: 'a guess' }),
    },
  ],
];

function upload(): TestRequest {
  const field = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"`;
  const head = `${field('model')}\r\n\r\nsiann-1\r\n${field('file')}; filename="a.wav"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(head),
    toWave(new Float32Array(16_000)),
    Buffer.from('\r\n--b--\r\n'),
  ]);
  return { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' }, body };
}
