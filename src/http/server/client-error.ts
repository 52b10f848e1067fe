import type { Socket } from 'node:net';
import { answerRaw } from './raw-answer.ts';

type ClientError = Error & { code?: string; bytesParsed?: number };

/** What Node could not read as HTTP is answered by hand, since there is no request to answer. */
export function answerClientError(error: ClientError, socket: Socket): void {
  // A failed handshake comes here too, and HTTP over it is out of the question.
  const failed = error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL') || !socket.writable;
  if (failed) {
    socket.destroy(error);
    return;
  }
  const { status, message } = answers[error.code ?? ''] ?? malformed;
  answerRaw(socket, status, { error: { message, type: 'invalid_request_error', code: 'invalid_value' } });
}

const malformed = { status: '400 Bad Request', message: 'The request is not well-formed HTTP.' };

const answers: Record<string, typeof malformed> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The headers of the request are too large.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    message: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request took too long to arrive.',
  },
};
