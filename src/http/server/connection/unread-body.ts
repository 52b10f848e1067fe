import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How much of a body is still read after the answer, for clients that read the answer only when they have sent everything. */
const discardBytes = 64 * 2 ** 20;
const discardMs = 10_000;
const lookEveryMs = 250;

/**
 * To be called when a request has come in. When the connection ends with the answer, Node would close it although the body
 * is still coming: the client's next byte would reset the connection, and the answer would be lost. So only our side is
 * closed until the body has ended.
 */
export function closeAfterBody(request: IncomingMessage): void {
  const { socket, headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  socket.destroySoon = () => {
    const { destroySoon } = Object.getPrototypeOf(socket) as Socket;
    if (request.complete) destroySoon.call(socket);
    else socket.end();
  };
}

/**
 * To be called when the answer has ended. If that was before the end of the body, as with most refusals, Node reads the rest
 * and throws it away. That is limited here in bytes and in time. The socket is that of the request's arrival: a request that was
 * destroyed meanwhile may have none any more.
 */
export function boundUnreadBody(request: IncomingMessage, socket: Socket): void {
  if (request.complete || socket.destroyed) return;
  const limit = socket.bytesRead + discardBytes;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const isOpen = !request.complete && !socket.destroyed;
    if (isOpen && socket.bytesRead < limit && performance.now() - startedAt < discardMs) return;
    clearInterval(timer);
    if (!request.complete || socket.writableEnded) socket.destroy();
  }, lookEveryMs);
  timer.unref();
}
