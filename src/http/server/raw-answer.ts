import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, type ServiceError } from '../../errors/service-error.ts';
import { createRequestId } from './request-id.ts';

const lingerMs = 1_000;

/** Answers an error on a connection on which no request came about, and ends the connection. */
export function answerRaw(socket: Socket, error: ServiceError): void {
  const text = JSON.stringify(errorBody(error));
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
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
