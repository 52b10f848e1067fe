import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ClientGone } from '../connection-signal.ts';

/**
 * The body as it arrives. Unlike the request's own iterator, this one can be left at any time without closing the connection,
 * so that an error in the middle of the body can still be answered.
 */
export async function* requestBytes(
  request: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    signal.throwIfAborted();
    const chunk: Uint8Array | null = request.read();
    if (chunk) yield chunk;
    else if (request.readableEnded) return;
    else if (request.destroyed) throw new ClientGone();
    else {
      await untilReadable(request, signal);
      // Bytes that come together are read together, even if the client sends each of them as a chunk of its own.
      await setImmediate();
    }
  }
}

function untilReadable(request: IncomingMessage, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const events = ['readable', 'end', 'error', 'close'] as const;
    for (const event of events) request.on(event, done);
    signal.addEventListener('abort', done);
    function done(): void {
      for (const event of events) request.off(event, done);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
