/** The real model, a real PostgreSQL and Redis: one process receives the audio, and another recognises it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type PostgresServer, startPostgres } from '../../bench/servers/postgres.ts';
import { type RedisServer, startRedis } from '../../bench/servers/redis.ts';
import { createServiceLog } from '../../src/operations/service-log.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { createWorkerService } from '../../src/wiring/create-worker-service.ts';
import { startService, type TestService } from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';
import { until } from './scripted-cluster.ts';

const redis = await startRedis();
const postgres = await startPostgres();
const missing = [redis, postgres].find((found) => typeof found === 'string');
const model = { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels, SIANN_PROCESSES: '1', SIANN_THREADS: '1' };

describe('roles', { skip: missing ?? false }, () => {
  let api: TestService;
  let env: Record<string, string>;
  before(async () => {
    const database = await (postgres as PostgresServer).createDatabase();
    env = { ...model, SIANN_REDIS_URL: (redis as RedisServer).url, SIANN_DATABASE_URL: database.url };
    api = await startService({ env: { ...env, SIANN_ROLE: 'api' }, recogniser: createRecogniser });
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    for (const server of [redis, postgres]) await (server as RedisServer)[Symbol.asyncDispose]();
  });

  it('an api is ready when a worker is, and its answers are the workers’', async () => {
    assert.equal(((await api.fetch('/readyz')).json() as { status: string }).status, 'starting');
    await using worker = await startWorker();
    await worker.ready();
    await until(async () => (await api.fetch('/readyz')).status === 200);
    const answer = (await api.fetch('/v1/audio/transcriptions', upload('two-sentences.flac'))).json();
    assert.match(
      (answer as { text: string }).text,
      /^Please bring the blue folder to the office\. The train/,
    );
  });

  it('a worker says how it does over plain HTTP, and nothing else', async () => {
    await using worker = await startWorker();
    await worker.ready();
    const get = async (path: string) => (await fetch(`${worker.address}${path}`)).json();
    assert.deepEqual(await get('/healthz'), { status: 'ok' });
    assert.deepEqual(await get('/readyz'), { status: 'ready', checks: { model: true, redis: true } });
    const metrics = await (await fetch(`${worker.address}/metrics`)).text();
    assert.match(metrics, /\nsiann_inference_processes 1\n/);
    assert.equal((await fetch(`${worker.address}/v1/account`)).status, 404);
    worker.drain();
    assert.equal(((await get('/readyz')) as { status: string }).status, 'draining');
  });

  it('a service with a Redis recognises in its own processes too', async () => {
    await using both = await startService({ env, recogniser: createRecogniser });
    await both.service.recogniser.ready();
    assert.equal((await both.fetch('/v1/audio/transcriptions', upload('speech-16k.wav'))).status, 200);
    // And for the others: there is no other worker now.
    assert.equal((await api.fetch('/v1/audio/transcriptions', upload('speech-16k.wav'))).status, 200);
  });

  function startWorker() {
    const config = loadConfig({
      ...env,
      SIANN_ROLE: 'worker',
      SIANN_PORT: '0',
      SIANN_TEST_PORT: '0',
      SIANN_DATA: api.dataFolder,
    });
    return createWorkerService({
      config,
      log: createServiceLog({ level: 'silent', output: { write() {} } }),
    });
  }
});

function upload(name: string) {
  const form = [
    '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nsiann-1\r\n',
    `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`,
  ];
  const file = readFileSync(new URL(`../fixtures/audio/${name}`, import.meta.url));
  const body = Buffer.concat([Buffer.from(form.join('')), file, Buffer.from('\r\n--x--\r\n')]);
  return { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body };
}
