import type { IncomingMessage } from 'node:http';

/** A client that has not read the answer by then is not waited for. */
const lingerMs = 1_000;

/** Calls `onLate` and closes the connection when the body has not come in time. Returns a function that ends this. */
export function startBodyDeadline(
  request: IncomingMessage,
  withinMs: number,
  onLate: () => void,
): () => void {
  const { headers, socket } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return () => {};
  const timer = setTimeout(() => {
    if (request.complete || socket.destroyed) return;
    onLate();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }, withinMs).unref();
  return () => clearTimeout(timer);
}
