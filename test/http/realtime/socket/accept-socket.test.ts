import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { createSocketAcceptor } from '../../../../src/http/realtime/socket/accept-socket.ts';

const opcodes = { text: 1, ping: 9 };

test('a malformed frame ends its connection, and what came right behind it harms nobody', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [request] = (await once(server, 'upgrade')) as [IncomingMessage];
  const socket = createSocketAcceptor({ maxFrameBytes: 1000 }).accept(request, {});
  const received: unknown[] = [];
  socket.on('message', (message) => received.push(message));
  const failed = once(socket, 'error');
  const closed = once(client, 'close');

  // The ping is told in a later turn of the event loop, so the others wait behind it as pieces of their own.
  request.socket.emit('data', frame(opcodes.ping, 'are you there?'));
  request.socket.emit('data', frame(opcodes.text, Buffer.from([0xff, 0xfe, 0xfd])));
  request.socket.emit('data', frame(opcodes.text, 'and then this'));

  assert.equal((await failed)[0].code, 'WS_ERR_INVALID_UTF8');
  assert.equal((await closed)[0], 1007);
  assert.deepEqual(received, []);
  server.close();
});

function frame(opcode: number, payload: string | Buffer): Buffer {
  const data = Buffer.from(payload as string);
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = data.map((byte, index) => byte ^ mask[index % 4]!);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | data.length]), mask, masked]);
}
