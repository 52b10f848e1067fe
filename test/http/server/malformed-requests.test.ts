import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openRaw } from '../../support/raw-connection.ts';
import { startService, type TestService } from '../../support/service.ts';

describe('what is not proper HTTP', () => {
  let running: TestService;
  before(async () => {
    running = await startService({ env: { SIANN_HEADERS_SECONDS: '1', SIANN_KEEP_ALIVE_SECONDS: '1' } });
  });
  after(() => running[Symbol.asyncDispose]());

  const send = async (text: string) => {
    await using connection = await openRaw(running.ports.live, running.ca);
    connection.send(text);
    return await connection.closed();
  };
  const stillThere = async () => assert.equal((await running.fetch('/healthz')).status, 200);

  const junk: Record<string, string> = {
    'two lengths':
      'POST /v1/account HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    'a length and chunks':
      'POST /v1/account HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'an unknown encoding before chunked is missing':
      'POST /v1/account HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'a negative length': 'POST /v1/account HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    'a space before the colon': 'GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n',
    'a folded header': 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n',
    'a header with a null': 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n',
    'no host': 'GET /healthz HTTP/1.1\r\n\r\n',
    'no HTTP at all': 'hello there\r\n\r\n',
    'a bare line feed in a header': 'GET /healthz HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n',
  };
  for (const [name, text] of Object.entries(junk)) {
    test(`${name}: refused, and the connection closed`, async () => {
      const answer = await send(text);
      assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.doesNotMatch(answer, /HTTP\/1\.1 200/);
      await stillThere();
    });
  }

  test('a bad chunk size ends the connection and is never a second request', async () => {
    const answer = await send(
      'POST /v1/account HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    assert.doesNotMatch(answer, /"status":"ok"/);
    await stillThere();
  });

  test('targets that are no path of ours are refused like any other', async () => {
    for (const line of [
      'OPTIONS *',
      'GET http://elsewhere.example/v1/account',
      'GET //v1/account',
      'GET /%2e%2e/x',
      'GET /v1/models/%00',
    ]) {
      const answer = await send(`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      assert.match(answer, /^HTTP\/1\.1 40[14] [\s\S]*"error":/, line);
    }
    assert.doesNotMatch(await send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'), /200/);
    const upgrade = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    assert.doesNotMatch(await send(upgrade), /101 /);
    await stillThere();
  });

  test('headers that are too large: 431 with an error body and a request id', async () => {
    const answer = await send(`GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 431 /);
    assert.match(answer, /\r\nx-request-id: req_/);
    const { error } = JSON.parse(answer.split('\r\n\r\n')[1]!);
    assert.equal(error.type, 'invalid_request_error');
  });

  test('an expectation that nobody can meet is passed over', async () => {
    const answer = await send(
      'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\nConnection: close\r\n\r\n',
    );
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*x-request-id: req_/);
  });

  test('a client that waits with its body is asked for it, on every route that reads one', async () => {
    await using connection = await openRaw(running.ports.live, running.ca);
    const body = '{"name":"nobody","password":"a long password"}';
    const head = [
      'POST /console/api/sign-in HTTP/1.1',
      'Host: localhost',
      'X-Siann-Console: 1',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    connection.send(`${head.join('\r\n')}\r\n\r\n`);
    await connection.until(/^HTTP\/1\.1 100 Continue/);
    connection.send(body);
    await connection.until(/HTTP\/1\.1 40\d /);
  });

  test('headers that never end are cut off, and so is a connection on which nothing is asked', async () => {
    await using slow = await openRaw(running.ports.live, running.ca);
    await using silent = await openRaw(running.ports.live, running.ca);
    slow.send('GET /healthz HTTP/1.1\r\nHost: a\r\n');
    const dripping = setInterval(() => slow.send('X: 1\r\n'), 200);
    const answer = await slow.closed(8_000);
    clearInterval(dripping);
    assert.match(answer, /^HTTP\/1\.1 408 /);
    await silent.closed(8_000);
  });

  test('an idle connection is closed after the time for that', async () => {
    await using connection = await openRaw(running.ports.live, running.ca);
    connection.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await connection.until(/"status":"ok"/);
    await connection.closed(8_000);
  });

  test('requests sent without waiting are answered one after the other', async () => {
    await using connection = await openRaw(running.ports.live, running.ca);
    const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.keys.live}\r\n\r\n`;
    connection.send(`GET /healthz ${head}GET /v1/models ${head}GET /nothing ${head}GET /healthz ${head}`);
    const answer = await connection.until(/"ok"[\s\S]*"ok"/);
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ['200', '200', '404', '200']);
  });

  test('plain HTTP on the TLS port is told to use HTTPS; other noise is closed, and harms nobody', async () => {
    await using plain = await openRaw(running.ports.live);
    plain.send('GET /v1/account HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(await plain.closed(), /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*"code":"https_required"/);
    for (const bytes of [Buffer.alloc(4096, 0x16), Buffer.from([0x80, 0, 1]), Buffer.alloc(100)]) {
      await using noise = await openRaw(running.ports.live);
      noise.send(bytes);
      await noise.closed();
    }
    await stillThere();
  });

  test('a TLS handshake may come byte by byte', async () => {
    const relay = createServer((client) => {
      const server = connect(running.ports.live, '127.0.0.1');
      server.on('data', (chunk) => client.write(chunk));
      client.on('data', async (chunk) => {
        client.pause();
        for (const byte of chunk) {
          server.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
        client.resume();
      });
      client.on('close', () => server.destroy());
      for (const socket of [client, server]) socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    await using connection = await openRaw((relay.address() as AddressInfo).port, running.ca);
    connection.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await connection.until(/"ok"/);
    relay.close();
  });

  test('a refusal reaches a client that is still sending, and what it sends after that is limited', async () => {
    await using connection = await openRaw(running.ports.live, running.ca);
    connection.send('POST /v1/account HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n');
    connection.send(Buffer.alloc(1_000_000));
    await connection.until(/HTTP\/1\.1 405 /);
    let sent = 0;
    const flood = setInterval(() => {
      if (connection.socket.writableNeedDrain) return;
      connection.send(Buffer.alloc(4_000_000));
      sent += 4_000_000;
    }, 5);
    await connection.closed(12_000);
    clearInterval(flood);
    assert.ok(sent < 200_000_000, `${sent} bytes were taken`);
  });
});
