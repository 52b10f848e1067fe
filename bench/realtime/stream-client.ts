import { WebSocket } from 'ws';
import type { SessionEvent } from '../../wire/stream-events.ts';

export type TimedEvent = { event: SessionEvent; atMs: number };

/** One stream to a service, over TLS, with the time at which each event came. */
export type StreamClient = {
  socket: WebSocket;
  events: TimedEvent[];
  send(message: Uint8Array | string): void;
  /** The code of the close, 1006 when the connection broke. */
  closed: Promise<number>;
};

export type StreamTarget = { port: number; ca: string; key: string };

/** Rejects when the service does not take the stream, with its status in the message. */
export function openStream({ port, ca, key }: StreamTarget, query = ''): Promise<StreamClient> {
  const socket = new WebSocket(`wss://localhost:${port}/v1/speech/realtime${query}`, {
    ca,
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
  const events: TimedEvent[] = [];
  socket.on('message', (data) => events.push({ event: JSON.parse(String(data)), atMs: performance.now() }));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => {
      const send = (message: Uint8Array | string) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(message);
      };
      resolve({ socket, events, closed, send });
    });
  });
}

export function sessionEnd({ events }: StreamClient) {
  const last = events.at(-1)?.event;
  return last?.type === 'session.end' ? last : undefined;
}
