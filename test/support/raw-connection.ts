import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export type RawConnection = AsyncDisposable & {
  socket: Socket;
  send(text: string | Uint8Array): void;
  /** All that has been received. */
  received(): string;
  /** Resolves when that matches; rejects when the connection closes first. */
  until(pattern: RegExp, withinMs?: number): Promise<string>;
  /** Resolves with all that was received once the other side has closed. */
  closed(withinMs?: number): Promise<string>;
};

/** Bytes to a server, exactly as they are: over TLS when there is an authority to trust. */
export async function openRaw(port: number, ca?: string): Promise<RawConnection> {
  const socket = ca
    ? connectTls({ host: '127.0.0.1', servername: 'localhost', port, ca })
    : connectTcp({ host: '127.0.0.1', port });
  await new Promise((resolve, reject) => {
    socket.once(ca ? 'secureConnect' : 'connect', resolve);
    socket.once('error', reject);
  });
  let text = '';
  let isClosed = false;
  const waiters = new Set<() => void>();
  const changed = () => {
    for (const waiter of waiters) waiter();
  };
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    changed();
  });
  socket.on('close', () => {
    isClosed = true;
    changed();
  });
  const wait = (isDone: () => boolean, withinMs: number) =>
    new Promise<string>((resolve, reject) => {
      const stop = (settle: () => void) => {
        clearTimeout(timer);
        waiters.delete(look);
        settle();
      };
      const look = () => {
        if (isDone()) stop(() => resolve(text));
        else if (isClosed) stop(() => reject(new Error(`The connection was closed after: ${text}`)));
      };
      const timer = setTimeout(
        () => stop(() => reject(new Error(`Nothing more came after: ${text}`))),
        withinMs,
      );
      waiters.add(look);
      look();
    });

  return {
    socket,
    send: (data) => void socket.write(data),
    received: () => text,
    until: (pattern, withinMs = 5_000) => wait(() => pattern.test(text), withinMs),
    closed: (withinMs = 5_000) => wait(() => isClosed, withinMs),
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}
