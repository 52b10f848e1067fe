import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createReadiness } from '../../../src/operations/readiness.ts';
import { shortLine } from '../../../src/operations/service-log.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { silentRecogniser, startService, type TestService } from '../../support/service.ts';

test('the database is asked once a second, however many ask whether the service is ready', async () => {
  let pings = 0;
  const state = { draining: false, requestsOpen: 0 };
  const database = {
    async ping() {
      pings++;
    },
  };
  const asked = { state, recogniser: silentRecogniser(), database, redis: database };
  const readiness = createReadiness({ ...asked, askEveryMs: 60_000 });
  const answers = await Promise.all(Array.from({ length: 1_000 }, readiness));
  assert.ok(answers.every(({ status }) => status === 'ready'));
  assert.equal(pings, 2, 'one for each of the two services');
  state.draining = true;
  assert.equal((await readiness()).status, 'draining', 'what this process knows itself is always new');
  const eager = createReadiness({ ...asked, askEveryMs: 0 });
  await eager();
  await eager();
  assert.equal(pings, 6);
});

describe('a service being looked after', () => {
  let running: TestService;
  before(async () => {
    running = await startService();
  });
  after(() => running[Symbol.asyncDispose]());

  test('says that it is alive and ready, on both ports and without a key', async () => {
    for (const environment of ['live', 'test'] as const) {
      const options = { environment, headers: { authorization: '' } };
      assert.deepEqual((await running.fetch('/healthz', options)).json(), { status: 'ok' });
      const ready = await running.fetch('/readyz', options);
      assert.deepEqual(ready.json(), { status: 'ready', checks: { model: true, database: true } });
    }
  });

  test('counts requests by route, never by what a client wrote', async () => {
    await running.fetch('/v1/account?secret=1');
    await running.fetch('/v1/models/somebody-wrote-this');
    await running.fetch('/and-this', { method: 'PROPFIND' });
    await running.fetch('/v1/account', { headers: { authorization: 'Bearer no' } });
    const { text, headers } = await running.fetch('/metrics');
    assert.match(String(headers['content-type']), /^text\/plain; version=/);
    const counted =
      /siann_requests_total\{environment="live",route="\/v1\/account",method="GET",status="200"\} 1\n/;
    assert.match(text, counted);
    assert.match(text, /route="\/v1\/models\/:id",method="GET",status="404"\} 1\n/);
    assert.match(text, /route="none",method="other",status="404"\} 1\n/);
    assert.match(text, /siann_errors_total\{code="invalid_api_key"\} 1\n/);
    for (const name of [
      'siann_request_duration_seconds_bucket',
      'siann_audio_seconds_total 0',
      'siann_real_time_factor_count 0',
      'siann_queued_windows 0',
      'siann_busy_slots 0',
      'siann_inference_restarts_total 0',
      'siann_decoder_restarts_total 0',
      'siann_decoder_processes 0',
      'siann_inference_memory_bytes 0',
      'siann_leases_open 0',
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
    ])
      assert.ok(text.includes(name), name);
    assert.doesNotMatch(text, /somebody|and-this|secret|sk_/);
  });

  test('lets a request in once and gives its permit back, whatever the method and the answer', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['/v1/account', '/v1/models/none']) await running.fetch(path, { method });
    }
    const { text } = await running.fetch('/metrics');
    assert.match(text, /\nsiann_leases_open 0\n/);
  });

  test('logs a line for each request, with nothing in it that a client wrote', async () => {
    const { headers } = await running.fetch('/v1/usage?from=2026-01-01', {
      headers: { 'x-secret': 'hush', 'user-agent': 'hush' },
    });
    const line = running.logged.find(({ requestId }) => requestId === headers['x-request-id']);
    assert.ok(line);
    const { route, status, method, environment, keyId, projectId, milliseconds } = line;
    assert.deepEqual([route, status, method, environment], ['/v1/usage', 200, 'GET', 'live']);
    assert.match(String(keyId), /^key_/);
    assert.equal(projectId, running.projectId);
    assert.ok(Number(milliseconds) > 0);
    const all = JSON.stringify(running.logged);
    assert.ok(!all.includes(running.keys.live) && !all.includes('hush') && !all.includes('from='));
  });

  test('a client that goes away is logged as gone', async () => {
    const connection = await openRaw(running.ports.test, running.ca);
    connection.send(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.keys.test}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n`,
    );
    while (!(await running.fetch('/metrics')).text.includes('siann_leases_open 1'));
    connection.socket.destroy();
    while (!(await running.fetch('/metrics')).text.includes('siann_leases_open 0'));
    const gone = running.logged.find(({ environment, aborted }) => environment === 'test' && aborted);
    assert.equal(gone?.status, 499);
  });
});

test('metrics are shown to the networks that the settings name, and to nobody else', async () => {
  await using running = await startService({ env: { SIANN_METRICS_ALLOW: '192.0.2.0/24' } });
  const { status, json } = await running.fetch('/metrics');
  assert.equal(status, 404);
  assert.equal((json() as { error: { code: string } }).error.code, 'not_found');
});

test('readiness tells starting, failing and draining apart', async () => {
  const state = { draining: false, requestsOpen: 0 };
  let processes = 0;
  let database = Promise.resolve();
  const recogniser = {
    ...silentRecogniser(),
    ready: () => new Promise<void>(() => {}),
    load: () => ({ processes, busySlots: 0, queued: 0, restarts: 0, rssBytes: 0 }),
  };
  const readiness = createReadiness({ askEveryMs: 0, state, recogniser, database: { ping: () => database } });
  assert.equal((await readiness()).status, 'starting');
  processes = 1;
  assert.equal((await readiness()).status, 'ready');
  database = Promise.reject(new Error('gone'));
  assert.deepEqual(await readiness(), { status: 'failing', checks: { model: true, database: false } });
  state.draining = true;
  assert.equal((await readiness()).status, 'draining');
});

test('what fails inside reveals nothing and is found in the log by its request id', async () => {
  await using running = await startService({
    recogniser: {
      ...silentRecogniser(),
      // biome-ignore lint/correctness/useYield: it fails at once.
      async *transcribe(): AsyncGenerator<never, { durationSeconds: number }> {
        throw new Error('the secret of the house');
      },
    },
  });
  const { status, text, headers } = await running.fetch('/v1/audio/transcriptions', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nsiann-1\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF\r\n--x--\r\n',
  });
  assert.equal(status, 500);
  assert.match(text, /"type":"server_error","code":"internal_error"/);
  assert.doesNotMatch(text, /secret/);
  const line = running.logged.find(({ msg }) => msg === 'request failed');
  assert.equal(line?.requestId, headers['x-request-id']);
  assert.match(JSON.stringify(line), /the secret of the house/);
});

test('on a terminal a line is short, and an error has its stack', () => {
  const fields = {
    level: 30,
    time: '2026-11-15T12:30:01.000Z',
    status: 200,
    route: '/v1/models',
    msg: 'request',
  };
  assert.equal(shortLine(JSON.stringify(fields)), '12:30:01 info  request status=200 route=/v1/models\n');
  const failed = { ...fields, level: 50, err: { stack: 'Error: no\n  at here' } };
  assert.match(shortLine(JSON.stringify(failed)), /^12:30:01 error request .*\nError: no\n {2}at here\n$/);
});
