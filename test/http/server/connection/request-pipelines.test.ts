import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { boundPipelines } from '../../../../src/http/server/connection/request-pipelines.ts';

async function open() {
  const begun: { url: string; response: ServerResponse }[] = [];
  const server = createServer(boundPipelines(({ url }, response) => begun.push({ url: url!, response })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  await once(client, 'connect');
  let received = '';
  client.on('data', (bytes) => {
    received += bytes;
  });
  return {
    begun,
    client,
    received: () => received,
    send: (urls: readonly string[]) =>
      client.write(urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')),
    async [Symbol.asyncDispose]() {
      client.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!isTrue() && performance.now() < deadline) await sleep(5);
  assert.ok(isTrue());
}

test('requests that come together are begun one after another, and answered in order', async () => {
  await using connection = await open();
  const { begun, send, received } = connection;
  send(['/1', '/2', '/3']);
  for (let count = 1; count <= 3; count++) {
    await until(() => begun.length === count);
    await sleep(30);
    assert.equal(begun.length, count);
    begun.at(-1)!.response.end(`answer to ${begun.at(-1)!.url}`);
  }
  await until(() => /answer to \/1.*answer to \/2.*answer to \/3/s.test(received()));
});

test('a connection on which many wait is closed, and only the first of them was begun', async () => {
  await using connection = await open();
  connection.send(Array.from({ length: 200 }, (_, each) => `/${each}`));
  await once(connection.client, 'close');
  await sleep(30);
  assert.deepEqual(
    connection.begun.map(({ url }) => url),
    ['/0'],
  );
});
