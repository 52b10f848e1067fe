import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import type { Conversation } from '../../../../src/http/realtime/conversation.ts';
import {
  type CarryTimes,
  carryConversation,
} from '../../../../src/http/realtime/socket/carry-conversation.ts';
import type { SessionClose } from '../../../../src/sessions/session-close.ts';
import type { EndReason } from '../../../../wire/stream-events.ts';

const quick: CarryTimes = { pingMs: 50, firstSignMs: 200, silenceMs: 200, stallMs: 300, closeMs: 200 };

/** A conversation that sends the given messages, and records what it receives. */
function scriptedConversation(messages: () => AsyncIterable<string>) {
  const ends: EndReason[] = [];
  const received: (string | number)[] = [];
  let conclude = (_close: SessionClose) => {};
  const conversation: Conversation = {
    receiveText: (text) => void received.push(text),
    receiveBytes: (bytes) => void received.push(bytes.length),
    messages,
    bufferedSeconds: 0,
    waiting: 0,
    end(reason) {
      ends.push(reason);
      conclude({ code: reason === 'frame_too_large' ? 1009 : 1000, reason });
    },
    closed: new Promise((resolve) => {
      conclude = resolve;
    }),
  };
  return { conversation, ends, received };
}

async function carry(
  conversation: Conversation,
  {
    times = quick,
    autoPong = true,
    ...options
  }: { maxPayload?: number; times?: CarryTimes; autoPong?: boolean } = {},
) {
  const server = new WebSocketServer({ port: 0, perMessageDeflate: false, autoPong: false, ...options });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong });
  const failures: unknown[] = [];
  const [socket, request] = await once(server, 'connection');
  const carried = carryConversation({
    socket,
    conversation,
    bytesRead: () => request.socket.bytesRead,
    onFailure: (error) => failures.push(error),
    times,
  });
  if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
  return {
    client,
    socket: socket as WebSocket,
    carried,
    failures,
    async [Symbol.asyncDispose]() {
      client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Sends nothing until the conversation has ended. */
// biome-ignore lint/correctness/useYield: that is its point.
async function* nothing(conversation: () => Conversation): AsyncGenerator<string> {
  await conversation().closed;
}

test('a client that answers no pings loses its connection, and one that answers them keeps it', async () => {
  const { conversation, ends } = scriptedConversation(() => nothing(() => conversation));
  await using stream = await carry(conversation);
  // Longer than a silent client would be kept.
  for (let pings = 0; pings * quick.pingMs <= 2 * quick.silenceMs; pings++) await once(stream.client, 'ping');
  assert.deepEqual(ends, []);
  // From here on the client answers nothing, although its connection stays open.
  stream.client.pause();
  await stream.carried;
  assert.deepEqual(ends, ['connection_lost']);
});

test('audio counts like a pong', async () => {
  const { conversation, ends, received } = scriptedConversation(() => nothing(() => conversation));
  await using stream = await carry(conversation);
  stream.client.pong = () => {};
  let sent = 0;
  for (; sent * quick.pingMs <= 2 * quick.silenceMs; sent++) {
    await once(stream.client, 'ping');
    stream.client.send(new Uint8Array(100));
  }
  await once(stream.client, 'ping');
  assert.deepEqual(ends, []);
  assert.equal(received.length, sent);
});

test('a client that reads nothing is cut off, and few messages are made for it meanwhile', async () => {
  let made = 0;
  async function* endless() {
    while (ends.length === 0) {
      made++;
      yield 'x'.repeat(100_000);
    }
  }
  const { conversation, ends } = scriptedConversation(endless);
  await using stream = await carry(conversation);
  stream.client.pause();
  const before = performance.now();
  while (ends.length === 0 && performance.now() - before < 5000) await sleep(20);
  assert.deepEqual(ends, ['connection_lost']);
  assert.ok(made < 200, `${made} messages were made for nobody`);
});

test('a client that answers nothing from the beginning is cut off soon', async () => {
  const { conversation, ends } = scriptedConversation(() => nothing(() => conversation));
  const times = { ...quick, silenceMs: 60_000 };
  await using stream = await carry(conversation, { times, autoPong: false });
  await stream.carried;
  assert.deepEqual(ends, ['connection_lost']);
});

test('a client that asks and never reads is not read any more, and is cut off', async () => {
  const outbox: string[] = [];
  const { conversation, ends, received } = scriptedConversation(async function* () {
    while (ends.length === 0) {
      yield outbox.shift() ?? '';
      await sleep(1);
    }
  });
  const asked: Conversation = {
    ...conversation,
    receiveText(text) {
      received.push(text);
      outbox.push('x'.repeat(20_000));
    },
    get waiting() {
      return outbox.length;
    },
  };
  await using stream = await carry(asked);
  stream.client.pause();
  for (let count = 0; count < 20_000; count++) stream.client.send('{}');
  await stream.carried;
  assert.deepEqual(ends, ['connection_lost']);
  assert.ok(received.length < 1_000, `${received.length} of 20,000 questions were read`);
  assert.ok(outbox.length <= 130, `${outbox.length} answers waited`);
});

test('messages that came together are answered in order, at the pace at which they are read', async () => {
  const outbox: string[] = [];
  const { conversation, ends } = scriptedConversation(async function* () {
    while (ends.length === 0 || outbox.length > 0) {
      if (outbox.length > 0) yield outbox.shift()!;
      else await sleep(1);
    }
  });
  let mostWaiting = 0;
  const echo: Conversation = {
    ...conversation,
    receiveText(text) {
      outbox.push(text);
      mostWaiting = Math.max(mostWaiting, outbox.length);
      if (text === '999') conversation.end('closed_by_client');
    },
    get waiting() {
      return outbox.length;
    },
  };
  await using stream = await carry(echo, { times: { ...quick, stallMs: 60_000 } });
  const read: string[] = [];
  stream.client.on('message', (data) => read.push(String(data)));
  for (let count = 0; count < 1_000; count++) stream.client.send(String(count));
  await stream.carried;
  assert.deepEqual(
    read,
    Array.from({ length: 1_000 }, (_, count) => String(count)),
  );
  assert.ok(mostWaiting <= 130, `${mostWaiting} waited`);
});

test('pings are answered, and a flood of them from a client that does not read takes no memory', async () => {
  const { conversation, ends } = scriptedConversation(() => nothing(() => conversation));
  await using stream = await carry(conversation, { times: { ...quick, silenceMs: 60_000, stallMs: 60_000 } });
  stream.client.ping('hello');
  const [answer] = await once(stream.client, 'pong');
  assert.equal(String(answer), 'hello');
  stream.client.pause();
  let most = 0;
  for (let count = 0; count < 40_000; count++) {
    stream.client.ping(Buffer.alloc(125));
    if (count % 500 > 0) continue;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, stream.socket.bufferedAmount);
  }
  assert.ok(most < 100_000, `${most} bytes wait for a client that does not read`);
  assert.deepEqual(ends, []);
});

test('the connection ends even if the client does not answer the close', async () => {
  const { conversation } = scriptedConversation(() => nothing(() => conversation));
  await using stream = await carry(conversation);
  stream.client.pause();
  const before = performance.now();
  conversation.end('closed_by_client');
  await stream.carried;
  const tookMs = performance.now() - before;
  assert.ok(tookMs > 150 && tookMs < 2000, `${tookMs} ms`);
});

test('a client whose frame is too large still gets an error', async () => {
  const { conversation, ends } = scriptedConversation(async function* () {
    const { reason } = await conversation.closed;
    yield `error: ${reason}`;
  });
  await using stream = await carry(conversation, { maxPayload: 1000 });
  const read: string[] = [];
  stream.client.on('message', (data) => read.push(String(data)));
  const closed = once(stream.client, 'close');
  stream.client.send(new Uint8Array(1001));
  const [code, reason] = await closed;
  assert.deepEqual([code, String(reason)], [1009, 'frame_too_large']);
  assert.deepEqual(read, ['error: frame_too_large']);
  await stream.carried;
  assert.equal(ends[0], 'frame_too_large');
});

test('a failure of the service is reported, and ends the conversation with internal_error', async () => {
  const failure = new Error('broken');
  // biome-ignore lint/correctness/useYield: it fails before it has sent anything.
  const { conversation, ends } = scriptedConversation(async function* () {
    throw failure;
  });
  await using stream = await carry(conversation);
  await stream.carried;
  assert.deepEqual(stream.failures, [failure]);
  assert.equal(ends[0], 'internal_error');
});

test('a failure while a message is received ends only that stream', async () => {
  const failure = new Error('broken');
  const { conversation, ends } = scriptedConversation(() => nothing(() => conversation));
  conversation.receiveText = () => {
    throw failure;
  };
  await using stream = await carry(conversation);
  stream.client.send('hello');
  await stream.carried;
  assert.deepEqual(stream.failures, [failure]);
  assert.equal(ends[0], 'internal_error');
});

test('messages that come faster than anybody speaks are read at a pace, and those after them all the same', async () => {
  const { conversation, ends, received } = scriptedConversation(() => nothing(() => conversation));
  await using stream = await carry(conversation);
  const flooded = performance.now();
  // More than the buffers of both machines hold.
  for (let sent = 0; sent < 200; sent++)
    for (let i = 0; i < 100; i++) stream.client.send(new Uint8Array(600));
  while (received.length < 2_000 && performance.now() - flooded < 20_000) await sleep(20);
  const read = received.length;
  const since = performance.now();
  await sleep(1_500);
  const pace = (received.length - read) / ((performance.now() - since) / 1000);
  assert.ok(pace > 100 && pace < 2_000, `${pace} messages a second`);
  assert.deepEqual(ends, []);
});
