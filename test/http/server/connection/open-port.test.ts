import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openRaw, type RawConnection } from '../../../support/raw-connection.ts';
import { startService } from '../../../support/service.ts';

test('localhost is both 127.0.0.1 and ::1 on one port', async () => {
  await using running = await startService();
  for (const host of ['127.0.0.1', '::1']) {
    const socket = connect({ host, port: running.ports.live });
    await once(socket, 'connect');
    socket.destroy();
  }
});

test('a port that is taken stops the start with a sentence, and lets go of the other', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const free = port > 60_000 ? port - 1_000 : port + 1_000;
  const start = () => startService({ env: { SIANN_PORT: `${free}`, SIANN_TEST_PORT: `${port}` } });
  await assert.rejects(
    start(),
    new RegExp(`^Error: Port ${port} is taken by another program\\. Stop it, or`),
  );
  other.close();
  await using running = await start();
  assert.deepEqual(running.ports, { live: free, test: port });
});

test('an address that the machine does not have stops the start with a sentence', async () => {
  await assert.rejects(
    startService({ env: { SIANN_HOST: '192.0.2.77' } }),
    /no address 192\.0\.2\.77\. Set SIANN_HOST/,
  );
});

test('one address holds at most a quarter of the connections, and may connect again when some have closed', async () => {
  await using running = await startService({ env: { SIANN_MAX_CONNECTIONS: '12' } });
  const open = () => openRaw(running.ports.live, running.ca);
  const held: RawConnection[] = [await open(), await open(), await open()];
  await assert.rejects(open());
  for (const connection of held) connection.socket.destroy();
  await delay(100);
  await using again = await open();
  again.send('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  await again.until(/"ok"/);
});
