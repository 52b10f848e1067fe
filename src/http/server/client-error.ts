import type { Socket } from 'node:net';
import { toClientError } from '../../errors/framework-errors.ts';
import { answerRaw } from './raw-answer.ts';

type ClientError = Error & { code?: string; bytesParsed?: number };

/** What Node could not read as HTTP is answered by hand, since there is no request to answer. */
export function answerClientError(error: ClientError, socket: Socket): void {
  // A failed TLS handshake comes here too, and then the client could not read an answer in HTTP.
  const failed = error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL') || !socket.writable;
  if (failed) socket.destroy(error);
  else answerRaw(socket, toClientError(error));
}
