import { connect as connectPlain } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, dial, type Target } from '../attack.ts';

const ofEachKind = 40;
/** How long a client may hold a connection without finishing anything. */
const heldAfterMs = 20_000;

const heads: Record<string, (key: string) => string> = {
  'no request': () => '',
  'half a head': () => 'POST /console/api/sign-in HTTP/1.1\r\nHost: localhost\r\n',
  'half of a sign-in': () => unfinished('/console/api/sign-in', '{"name":"a","pass'),
  'half of a setup': () => unfinished('/console/api/setup', '{"link":"'),
  'half of a token': (key) => unfinished('/v1/realtime/client_secrets', '{"session":', key),
  'half of a stream’s token': (key) => unfinished('/v1/speech/realtime/tokens', '{', key),
  'half of a form without a key': () => unfinished('/v1/audio/transcriptions', '--b\r\n'),
  'a body that nobody asked for': (key) => unfinished('/v1/account', '{', key),
};

/** Hundreds of connections on which nothing is ever finished. What is counted is how many the service holds 20 s after the last was opened. */
export const unfinishedRequests: Attack = {
  title: 'requests that are never finished',
  async run(target, until) {
    const opened = await Promise.all(
      Array.from({ length: ofEachKind }, () => [
        halfHandshake(target),
        ...Object.values(heads).map(async (head) => {
          const socket = await dial(target);
          if (socket.writable) socket.write(head(target.key));
          socket.resume();
          return socket;
        }),
      ]).flat(),
    );
    const openedAt = performance.now();
    while (!until.aborted || performance.now() - openedAt < heldAfterMs) await sleep(50);
    const held = opened.filter((socket) => !socket.destroyed && socket.readable).length;
    for (const socket of opened) socket.destroy();
    return held;
  },
};

function unfinished(path: string, body: string, key?: string): string {
  const type = path.endsWith('transcriptions') ? 'multipart/form-data; boundary=b' : 'application/json';
  const headers = [
    'Host: localhost',
    'X-Siann-Console: 1',
    `Content-Type: ${type}`,
    'Content-Length: 5000',
    ...(key ? [`Authorization: Bearer ${key}`] : []),
  ];
  return `POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** The first bytes of TLS, and no more. */
function halfHandshake({ port }: Target): Promise<Duplex> {
  const socket = connectPlain(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      resolve(socket);
    });
    socket.once('close', () => resolve(socket));
  });
}
