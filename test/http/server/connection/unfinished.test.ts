/** Clients that never finish what they have begun. Each is let go, whatever it was. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createEnvironmentApp } from '../../../../src/http/server/environment-app.ts';
import { createNodeServer } from '../../../../src/http/server/node-server.ts';
import { createMetrics } from '../../../../src/operations/metrics.ts';
import { createServiceLog } from '../../../../src/operations/service-log.ts';
import type { TranscribeOptions } from '../../../../src/speech/transcribe.ts';
import { openRaw } from '../../../support/raw-connection.ts';
import { silentRecogniser, startService, type TestService } from '../../../support/service.ts';
import { formBody } from '../../transcription/upload-client.ts';

let service: TestService;
before(async () => {
  service = await startService({
    env: {
      SIANN_HEADERS_SECONDS: '1',
      SIANN_BODY_SECONDS: '1',
      SIANN_KEEP_ALIVE_SECONDS: '1',
      SIANN_UPLOAD_IDLE_SECONDS: '1',
    },
  });
});
after(() => service[Symbol.asyncDispose]());

const json = 'Content-Type: application/json\r\nX-Siann-Console: 1\r\n';
const post = (path: string, headers: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;
const authorized = () => `Authorization: Bearer ${service.keys.live}\r\n`;

const bodies: Record<string, () => string> = {
  'a sign-in': () => post('/console/api/sign-in', `${json}Content-Length: 100\r\n`, '{'),
  'a sign-in in chunks': () =>
    post('/console/api/sign-in', `${json}Transfer-Encoding: chunked\r\n`, '5\r\n{"nam'),
  'a sign-in that waits for 100': () =>
    post('/console/api/sign-in', `${json}Content-Length: 9\r\nExpect: 100-continue\r\n`, ''),
  'the settings of a token': () =>
    post('/v1/realtime/client_secrets', `${authorized()}${json}Content-Length: 100\r\n`, '{'),
};

for (const [what, request] of Object.entries(bodies)) {
  test(`${what}: half a body is answered with 408, and the connection is closed`, async () => {
    await using connection = await openRaw(service.ports.live, service.ca);
    connection.send(request());
    assert.match(
      await connection.closed(),
      /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*took too long/i,
    );
  });
}

const others: Record<string, () => string> = {
  'a form without a key': () =>
    post(
      '/v1/audio/transcriptions',
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 900\r\n',
      '--b',
    ),
  'a form with a key': () =>
    post(
      '/v1/audio/transcriptions',
      `${authorized()}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 900\r\n`,
      '--b\r\n',
    ),
  'a body that nobody asked for': () =>
    post('/v1/speech/realtime/tokens', `${authorized()}Content-Length: 9\r\n`, '{'),
  'a body for an address that there is not': () => post('/nothing', 'Content-Length: 9\r\n', '{'),
  'half a head': () => 'GET /v1/account HTTP/1.1\r\nHost: a\r\n',
  nothing: () => '',
  'an answered request, and nothing more': () => 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
};

for (const [what, text] of Object.entries(others)) {
  test(`${what}: the connection is closed`, async () => {
    await using connection = await openRaw(service.ports.live, service.ca);
    connection.send(text());
    await connection.closed(14_000);
  });
}

for (const [what, bytes] of Object.entries({ 'no byte': [], 'half a handshake': [0x16, 3, 1, 2, 0, 1] })) {
  test(`${what} of TLS: the connection is closed`, async () => {
    const socket = connect(service.ports.live, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(Buffer.from(bytes));
    const startedAt = performance.now();
    await new Promise((resolve) => socket.resume().once('close', resolve));
    assert.ok(performance.now() - startedAt < 12_000);
  });
}

test('a body that comes slowly but in time is read', async () => {
  await using connection = await openRaw(service.ports.live, service.ca);
  const body = '{"name":"nobody","password":"nothing"}';
  connection.send(post('/console/api/sign-in', `${json}Content-Length: ${body.length}\r\n`, ''));
  for (const letter of body) {
    connection.send(letter);
    await delay(10);
  }
  await connection.until(/^HTTP\/1\.1 401 /);
});

test('many requests at once on one connection are answered, and thousands are not taken', async () => {
  const ask = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  await using few = await openRaw(service.ports.live, service.ca);
  few.send(ask.repeat(8));
  await few.until(/(?:"ok"[\s\S]*){8}/);
  await using many = await openRaw(service.ports.live, service.ca);
  many.send(ask.repeat(10_000));
  const answers = (await many.closed()).match(/"ok"/g)?.length ?? 0;
  assert.ok(answers <= 16, `${answers} answers`);
});

test('requests of a connection end with it, begun or not', async () => {
  let running = 0;
  const recogniser = {
    ...silentRecogniser(),
    // biome-ignore lint/correctness/useYield: it waits until it is stopped.
    async *transcribe(_bytes: AsyncIterable<Uint8Array>, { signal }: TranscribeOptions) {
      running++;
      await once(signal!, 'abort');
      running--;
      throw signal!.reason;
    },
  };
  await using waiting = await startService({ recogniser });
  const body = formBody([
    ['model', 'siann-1'],
    ['file', new Uint8Array(10)],
  ]);
  const head = post(
    '/v1/audio/transcriptions',
    `Authorization: Bearer ${waiting.keys.live}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n`,
    '',
  );
  const connection = await openRaw(waiting.ports.live, waiting.ca);
  for (let count = 0; count < 3; count++) {
    connection.send(head);
    connection.send(body);
  }
  await until(() => running === 1);
  connection.socket.destroy();
  await until(() => running === 0);
  const leases = async () => /^siann_leases_open (\d+)/m.exec((await waiting.fetch('/metrics')).text)![1];
  while ((await leases()) !== '0') await delay(20);
});

test('an answer that nobody reads is not kept', async () => {
  const closed = new Set<string>();
  const log = createServiceLog({ level: 'silent', output: { write: () => {} } });
  const { load } = silentRecogniser();
  let port = 0;
  const app = await createEnvironmentApp({
    environment: 'test',
    gate: { admit: () => Promise.reject(new Error('unused')) },
    clientOrigin: () => ({ address: '192.0.2.1', secure: true }),
    createServer: (handler) =>
      createNodeServer(
        { config: { headersSeconds: 9, keepAliveSeconds: 9 }, certifiedKey: undefined },
        handler,
      ),
    state: { draining: false, requestsOpen: 0 },
    log,
    metrics: createMetrics({ load }),
    unreadMs: 300,
    routes(app) {
      app.get<{ Params: { size: string } }>('/:size', {
        config: { admission: 'open' },
        handler: async ({ params }, reply) => {
          reply.raw.once('close', () => closed.add(params.size));
          return reply.send('x'.repeat(Number(params.size)));
        },
      });
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = app.server.address() as AddressInfo);
  const deaf = await openRaw(port);
  deaf.socket.pause();
  deaf.send('GET /60000000 HTTP/1.1\r\nHost: a\r\n\r\n');
  const slow = await openRaw(port);
  slow.send('GET /10000000 HTTP/1.1\r\nHost: a\r\n\r\n');
  // It reads some bytes in every tenth of the time that one may read nothing.
  const reads = setInterval(() => {
    slow.socket.resume();
    slow.socket.once('data', () => slow.socket.pause());
  }, 20);
  await until(() => closed.has('60000000'));
  assert.equal(slow.socket.destroyed, false);
  clearInterval(reads);
  slow.socket.destroy();
  deaf.socket.destroy();
  await app.close();
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await delay(20);
  }
}
