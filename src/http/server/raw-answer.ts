import type { Socket } from 'node:net';
import type { ErrorBody } from '../../../wire/error-body.ts';
import { createRequestId } from './request-id.ts';

const lingerMs = 1_000;

/** An error to a client with whom no request came about, and the end of the connection. */
export function answerRaw(socket: Socket, status: string, body: ErrorBody): void {
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
      `x-request-id: ${createRequestId()}`,
      'connection: close',
      '',
      text,
    ].join('\r\n'),
  );
  // A client that goes on sending and never closes is not waited for.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
