import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { plans } from '../../../src/accounts/projects/plans.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { scriptedStreams } from '../../support/scripted-streams.ts';
import { silentRecogniser, startService, type TestService } from '../../support/service.ts';
import {
  connectStream,
  type Refusal,
  type StreamClientOptions,
  silence,
} from '../../support/stream-client.ts';

const refusedWith = (service: TestService, options: StreamClientOptions = {}): Promise<Refusal> =>
  connectStream(service, options).then(
    async (client) => {
      await client[Symbol.asyncDispose]();
      return assert.fail('it was let in');
    },
    (error) => error,
  );

async function metric(service: TestService, name: string): Promise<number> {
  const { text } = await service.fetch('/metrics');
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > deadline) assert.fail(`It never held: ${holds}`);
    await sleep(20);
  }
}

test('a token opens one stream from any page, and is never logged', async () => {
  await using service = await startService();
  const issue = async () => {
    const answer = await service.fetch('/v1/speech/realtime/tokens', { method: 'POST' });
    assert.equal(answer.headers['cache-control'], 'no-store');
    return (answer.json() as { token: string; expires_at: string }).token;
  };
  const headers = { origin: 'https://page.example' };
  const token = await issue();
  const path = `/v1/speech/realtime?token=${token}`;
  await using client = await connectStream(service, { path, anonymous: true, headers });
  await client.until(({ type }) => type === 'session.begin');
  assert.equal((await refusedWith(service, { path, anonymous: true })).status, 401);

  const other = await issue();
  const protocols = ['realtime', `openai-insecure-api-key.${other}`];
  await using second = await connectStream(service, { protocols, anonymous: true, headers });
  assert.equal(second.socket.protocol, 'realtime');
  await using bare = await connectStream(service, {
    protocols: ['bearer', await issue()],
    path: '/v1/listen?encoding=linear16',
    anonymous: true,
  });
  assert.equal(bare.socket.protocol, 'bearer');
  const inTest = { path: `/v1/speech/realtime?token=${await issue()}`, anonymous: true };
  assert.equal((await refusedWith(service, { ...inTest, environment: 'test' })).status, 401);
  const written = JSON.stringify(service.logged);
  assert.ok(!written.includes(token) && !written.includes(other) && !written.includes('ek_'));
});

test('a stream takes a permit of its key, and gives it back at its end', async () => {
  const small = { ...plans.free, concurrentConnections: 2, requestsPerSecond: 100 };
  await using service = await startService({ plan: 'free', plans: { ...plans, free: small } });
  await using first = await connectStream(service);
  await using second = await connectStream(service);
  const refusal = await refusedWith(service);
  assert.equal(refusal.status, 429);
  assert.equal(refusal.body.error.code, 'concurrency_exceeded');
  for (const name of ['retry-after', 'retry-after-ms', 'x-ratelimit-retry-after']) {
    assert.match(String(refusal.headers[name]), /^\d+$/);
  }
  assert.equal(await metric(service, 'siann_leases_open'), 2);
  assert.equal(await metric(service, 'siann_streams_open'), 2);
  first.send({ type: 'close' });
  await first.closed;
  second.socket.terminate();
  await until(async () => (await metric(service, 'siann_leases_open')) === 0);
  await using third = await connectStream(service);
  await third.until(({ type }) => type === 'session.begin');
});

test('streams beyond the operator’s limit are asked to try again later', async () => {
  await using service = await startService({ env: { SIANN_MAX_STREAMS: '1' } });
  await using _first = await connectStream(service);
  const refusal = await refusedWith(service);
  assert.deepEqual([refusal.status, refusal.body.error.code], [503, 'overloaded']);
  assert.match(String(refusal.headers['retry-after']), /^\d+$/);
});

test('a stream is logged in one line and counted, without anything that was said', async () => {
  await using service = await startService();
  await using client = await connectStream(service);
  client.send(silence(4.5));
  client.send({ type: 'close' });
  await client.closed;
  await until(() => service.logged.some(({ route }) => route === '/v1/speech/realtime'));
  const line = service.logged.find(({ route }) => route === '/v1/speech/realtime')!;
  const { requestId, keyId, projectId, milliseconds, time, level, ...rest } = line;
  assert.match(String(requestId), /^req_/);
  assert.ok(keyId && projectId && Number(milliseconds) > 0 && time && level);
  assert.deepEqual(rest, {
    environment: 'live',
    method: 'GET',
    route: '/v1/speech/realtime',
    status: 101,
    dialect: 'siann',
    closeCode: 1000,
    reason: 'closed_by_client',
    audioSeconds: 4.5,
    billedSeconds: 4.5,
    msg: 'request',
  });
  assert.ok(!JSON.stringify(service.logged).includes('word0'));
  assert.equal(await metric(service, 'siann_streams_total'), 1);
  assert.equal(await metric(service, 'siann_stream_audio_seconds_total'), 4.5);
  assert.equal(await metric(service, 'siann_stream_final_delay_seconds_count'), 1);
  assert.equal(await metric(service, 'siann_streams_open'), 0);
});

test('when telling speakers apart fails, finals still come; each failure is counted and the first is logged', async () => {
  const trackSpeakers = () => ({
    add: () => Promise.reject(new Error('no such cluster')),
    labelOf: () => undefined,
    revisions: () => [],
    speakers: 0,
  });
  await using service = await startService({ recogniser: { ...silentRecogniser(), trackSpeakers } });
  const path = '/v1/speech/realtime?speaker_diarization=true';
  await using client = await connectStream(service, { path });
  client.send(silence(4));
  client.send(silence(4.5));
  client.send({ type: 'close' });
  assert.equal((await client.closed).code, 1000);
  const finals = client.messages.filter(({ is_final }) => is_final);
  assert.deepEqual(
    finals.map(({ text, speaker }) => [text, speaker]),
    [
      ['word0 word1 word2 word3', undefined],
      ['word4 word5 word6 word7', undefined],
      ['word8', undefined],
    ],
  );
  assert.equal(await metric(service, 'siann_stream_faults_total{fault="speakers"}'), 3);
  const logged = service.logged.filter(({ msg }) => msg === 'stream fault');
  assert.equal(logged.length, 1);
  assert.match(JSON.stringify(logged[0]), /"requestId":"req_.*"fault":"speakers".*no such cluster/);
});

test('revoking a key ends its streams, also one that still waits for its first audio', async () => {
  await using service = await startService();
  await using client = await connectStream(service);
  await using waiting = await connectStream(service, { path: '/v1/realtime' });
  client.send(silence(1));
  await client.until(({ type }) => type === 'transcript');
  const [key] = await service.service.accounts.keys
    .list()
    .then((keys) => keys.filter(({ prefix }) => service.keys.live.startsWith(prefix)));
  await service.service.accounts.keys.revoke(key!.id);
  assert.deepEqual(await client.closed, { code: 4401, reason: 'key_revoked' });
  const error = client.messages.at(-2);
  assert.deepEqual([error.type, error.error.code], ['error', 'invalid_api_key']);
  assert.equal(client.messages.at(-1).billed_seconds, 1);
  assert.equal((await waiting.closed).code, 4401);
  assert.equal(waiting.messages.at(-1).error.code, 'invalid_api_key');
});

test('taking an address off the allow-list ends its streams, and says why', async () => {
  await using service = await startService();
  await using client = await connectStream(service);
  await using waiting = await connectStream(service, { path: '/v1/realtime' });
  client.send(silence(1));
  await client.until(({ type }) => type === 'transcript');
  await service.service.accounts.projects.setAllow(service.projectId, ['192.0.2.0/24']);
  assert.deepEqual(await client.closed, { code: 4401, reason: 'key_revoked' });
  assert.equal(client.messages.at(-2).error.code, 'ip_not_allowed');
  assert.equal(client.messages.at(-1).billed_seconds, 1);
  assert.equal((await waiting.closed).code, 4401);
  assert.equal(waiting.messages.at(-1).error.code, 'ip_not_allowed');
});

test('a drain sends every stream the finals of its audio, and ends it', async () => {
  await using service = await startService({ env: { SIANN_DRAIN_SECONDS: '5' } });
  await using client = await connectStream(service);
  await using waiting = await connectStream(service, { path: '/v1/realtime' });
  client.send(silence(2));
  await client.until(({ type }) => type === 'transcript');
  const startedAt = performance.now();
  await service.service.drain();
  assert.ok(performance.now() - startedAt < 3000);
  assert.deepEqual(await client.closed, { code: 1001, reason: 'draining' });
  const [warning, final, end] = client.messages.slice(-3);
  assert.deepEqual([warning.code, final.text, end.reason], ['draining', 'word0 word1', 'draining']);
  assert.equal((await waiting.closed).code, 1001);
});

test('a quota that runs out ends the stream, after the finals of the audio that was paid for', async () => {
  const small = { ...plans.free, quotaMinutes: 0.1 };
  await using service = await startService({ plan: 'free', plans: { ...plans, free: small } });
  await using client = await connectStream(service);
  for (let i = 0; i < 20; i++) client.send(silence(0.5));
  assert.equal((await client.closed).code, 4429);
  const [error, end] = client.messages.slice(-2);
  assert.deepEqual([error.type, error.error.code], ['error', 'quota_exceeded']);
  assert.ok(end.billed_seconds <= 6 && end.billed_seconds > 4, String(end.billed_seconds));
  const refusal = await refusedWith(service);
  if (end.billed_seconds === 6) assert.equal(refusal.body.error.code, 'quota_exceeded');
});

test('a stream without audio or keepalive is warned and then closed', async () => {
  await using service = await startService({ env: { SIANN_STREAM_IDLE_SECONDS: '1' } });
  await using client = await connectStream(service);
  for (let i = 0; i < 5; i++) {
    await sleep(300);
    client.send({ type: 'keepalive' });
  }
  assert.equal((await client.closed).code, 4408);
  assert.deepEqual(
    client.messages.slice(-3).map(({ type }) => type),
    ['warning', 'error', 'session.end'],
  );
});

test('audio that comes too fast waits in the client, and all of it is recognised', async () => {
  const stream = scriptedStreams({ secondTakesMs: 15 });
  await using service = await startService({ recogniser: { ...silentRecogniser(), stream } });
  await using client = await connectStream(service);
  const seconds = 120;
  for (let i = 0; i < seconds; i++) client.send(silence(1));
  client.send({ type: 'close' });
  assert.equal((await client.closed).code, 1000);
  assert.equal(client.messages.at(-1).audio_seconds, seconds);
  assert.ok(client.messages.every(({ type }) => type !== 'error'));
});

test('a client that goes away is charged for the audio that was recognised, and its permit is free', async () => {
  await using service = await startService();
  for (const leave of ['terminate', 'close'] as const) {
    await using client = await connectStream(service);
    client.send(silence(2));
    await client.until(({ type }) => type === 'transcript');
    client.socket[leave]();
    await client.closed;
  }
  await until(async () => (await metric(service, 'siann_leases_open')) === 0);
  const lines = service.logged.filter(({ route }) => route === '/v1/speech/realtime');
  assert.deepEqual(
    lines.map(({ closeCode, billedSeconds }) => [closeCode, billedSeconds]),
    [
      [1006, 2],
      [1006, 2],
    ],
  );
});

test('a request for another protocol than WebSocket is answered as HTTP', async () => {
  await using service = await startService();
  const head = `Host: a\r\nAuthorization: Bearer ${service.keys.live}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n`;
  await using get = await openRaw(service.ports.live, service.ca);
  get.send(`GET /v1/account HTTP/1.1\r\n${head}\r\n`);
  assert.match(await get.closed(), /^HTTP\/1\.1 200 [\s\S]*rateLimit/);
  await using post = await openRaw(service.ports.live, service.ca);
  post.send(`POST /v1/audio/transcriptions HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`);
  assert.match(await post.closed(), /^HTTP\/1\.1 400 [\s\S]*Leave out the header Upgrade/);
  for (const lines of [
    'Sec-WebSocket-Version: 12',
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short',
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: realtime\u00a0',
  ]) {
    await using odd = await openRaw(service.ports.live, service.ca);
    const headers = `${head.replace('h2c', 'websocket')}${lines}\r\n`;
    odd.send(Buffer.from(`GET /v1/speech/realtime HTTP/1.1\r\n${headers}\r\n`, 'latin1'));
    assert.match(await odd.closed(), /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_value"/);
  }
  assert.equal(await metric(service, 'siann_leases_open'), 0);
});

test('a recogniser that cannot be opened ends only that stream', async () => {
  const stream = {
    open() {
      throw new Error('no memory');
    },
  };
  await using service = await startService({ recogniser: { ...silentRecogniser(), stream } });
  await using client = await connectStream(service);
  await client.closed;
  await using openai = await connectStream(service, { path: '/v1/realtime' });
  openai.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
  assert.equal((await openai.closed).code, 1011);
  assert.equal(openai.messages.at(-1).error.code, 'internal_error');
  await until(async () => (await metric(service, 'siann_leases_open')) === 0);
  assert.equal((await service.fetch('/v1/account')).status, 200);
  assert.equal(service.logged.filter(({ msg }) => msg === 'stream failed').length, 2);
});

test('behind a proxy, a stream must come over HTTPS', async () => {
  await using service = await startService({ env: { SIANN_TLS: 'proxy' } });
  const connect = (headers: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const authorization = `Bearer ${service.keys.live}`;
      const url = `ws://127.0.0.1:${service.ports.live}/v1/speech/realtime`;
      const socket = new WebSocket(url, { headers: { authorization, ...headers } });
      socket.on('error', () => {});
      socket.on('unexpected-response', (_request, response) => {
        socket.terminate();
        resolve(response.statusCode ?? 0);
      });
      socket.on('open', () => {
        socket.close();
        resolve(101);
      });
    });
  const forwarded = { 'x-forwarded-for': '192.0.2.1' };
  assert.equal(await connect({ ...forwarded, 'x-forwarded-proto': 'https' }), 101);
  assert.equal(await connect({ ...forwarded, 'x-forwarded-proto': 'http' }), 403);
  assert.equal(await connect({}), 403);
});

test('an upgrade behind a request that is not answered yet ends its connection, and nothing else', async () => {
  await using service = await startService();
  const connection = await openRaw(service.ports.live, service.ca);
  const upgrade = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  connection.send(
    `GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/speech/realtime HTTP/1.1\r\nHost: a\r\n${upgrade.join('\r\n')}\r\n\r\n`,
  );
  await connection.closed();
  assert.equal((await service.fetch('/healthz')).status, 200);
});
