import type { IncomingMessage, RequestListener } from 'node:http';
import { ServiceError } from '../../../errors/service-error.ts';
import { answerRaw } from '../raw-answer.ts';

/** Any body may have so many chunks. */
const freeChunks = 1_000;
/** Beyond them, chunks must be at least this long on average. */
const meanBytes = 32;

/**
 * Every chunk of a body costs the event loop some microseconds, so chunks of one byte keep it busy with next to nothing. A
 * body that comes in thousands of them is refused, on every route, also while the rest of it is only thrown away.
 */
export function refuseTinyChunks(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined) {
      onTinyChunks(request, () => {
        const { socket } = request;
        socket.pause();
        if (response.headersSent) socket.destroy();
        else answerRaw(socket, tooSmall());
      });
    }
    handler(request, response);
  };
}

/** Node.js hands every chunk to `push`. */
function onTinyChunks(request: IncomingMessage, refuse: () => void): void {
  let chunks = 0;
  let bytes = 0;
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    chunks++;
    bytes += chunk?.length ?? 0;
    if (chunks > freeChunks && bytes < chunks * meanBytes) {
      // The rest of what was read is dropped.
      request.push = () => false;
      refuse();
      return false;
    }
    const { push } = Object.getPrototypeOf(request) as IncomingMessage;
    return push.call(request, chunk, encoding);
  };
}

function tooSmall(): ServiceError {
  const message = `The chunks of the body are too small. Send at least ${meanBytes} bytes in each.`;
  return new ServiceError('malformed_request', { message });
}
