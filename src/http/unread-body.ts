import type { IncomingMessage } from 'node:http';

/** What may still arrive after the answer, so that a client which sends first and reads then gets to read it. */
const discardBytes = 64 * 2 ** 20;
const discardMs = 10_000;
const lookEveryMs = 250;

/**
 * An answer that came before the end of the body (a refusal, mostly): Node throws the rest away as it arrives. Closing at
 * once would reset the connection and lose the answer, reading on for ever would be a gift; so it goes on for a while.
 */
export function boundUnreadBody(request: IncomingMessage): void {
  if (request.complete || request.socket.destroyed) return;
  const { socket } = request;
  const limit = socket.bytesRead + discardBytes;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    if (request.complete || socket.destroyed) return clearInterval(timer);
    if (socket.bytesRead < limit && performance.now() - startedAt < discardMs) return;
    clearInterval(timer);
    socket.destroy();
  }, lookEveryMs);
  timer.unref();
}
