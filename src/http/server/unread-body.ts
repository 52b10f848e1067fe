import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What may still arrive after the answer, so that a client which sends first and reads then gets to read it. */
const discardBytes = 64 * 2 ** 20;
const discardMs = 10_000;
const lookEveryMs = 250;

/**
 * To be called when a request has come in. Where the connection ends with the answer, Node closes it without a thought for a
 * body that is still coming: the client's next byte resets it, and the answer is lost. So only our side is closed until then.
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
 * To be called when the answer has ended. If that was before the end of the body (a refusal, mostly), Node throws the rest
 * away as it arrives. Reading on for ever would be a gift, so it goes on for a while.
 */
export function boundUnreadBody(request: IncomingMessage): void {
  if (request.complete || request.socket.destroyed) return;
  const { socket } = request;
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
