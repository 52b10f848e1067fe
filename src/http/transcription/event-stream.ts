import type { ServerResponse } from 'node:http';
import type { FileEvent } from '../../../wire/transcripts.ts';

/** Server-sent events to a client that may read slowly. */
type EventStream = Disposable & {
  /** Resolves when the client has read enough to be sent more. */
  send(events: readonly FileEvent[]): Promise<void>;
  end(event: FileEvent): void;
};

type EventStreamOptions = { response: ServerResponse; signal: AbortSignal; heartbeatMs: number };

/** A client that reads nothing for so long is gone. */
const stallMs = 15_000;

/** Writes the head at once. From then on, regular comments keep proxies from closing a quiet connection. */
export function openEventStream({ response, signal, heartbeatMs }: EventStreamOptions): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': still at work\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  return {
    async send(events) {
      signal.throwIfAborted();
      response.write(events.map(encode).join(''));
      if (response.writableNeedDrain) await drained(response, signal);
    },
    end(event) {
      response.socket?.setTimeout(stallMs);
      response.end(encode(event));
    },
    [Symbol.dispose]: () => clearInterval(heartbeat),
  };
}

function encode(event: FileEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    // Closing the connection aborts the signal.
    const stallTimer = setTimeout(() => response.destroy(), stallMs).unref();
    const done = () => {
      clearTimeout(stallTimer);
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
  });
  signal.throwIfAborted();
}
