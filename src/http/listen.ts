import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { plainAddress } from './client-origin.ts';

export type ListenOptions = {
  server: HttpServer;
  host: string;
  port: number;
  maxConnections: number;
  /** How much of them one address may hold, up to 1. */
  shareOfAddress(address: string): number;
};

export type Listening = {
  port: number;
  /** Takes no new connections; those there are stay. */
  stopAccepting(): void;
  destroyConnections(): void;
};

const tcpKeepAliveMs = 60_000;

/**
 * Sockets that hand their connections to the server. With sockets of our own, `localhost` can be both 127.0.0.1 and ::1,
 * and draining can stop accepting without closing the connections on which clients are about to ask.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { server, host, port } = options;
  const connections = createConnections(options);
  const listeners: Server[] = [];
  const open = async (address: string, openPort: number) => {
    const listener = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
    });
    listener.on('connection', (socket) => connections.admit(socket) && server.emit('connection', socket));
    listener.listen({ host: address, port: openPort });
    await once(listener, 'listening');
    listeners.push(listener);
    return (listener.address() as { port: number }).port;
  };

  const isLocal = host === 'localhost';
  const openPort = await open(isLocal ? '127.0.0.1' : host, port).catch((error) => {
    throw listenFailure(error, host, port);
  });
  // A machine without IPv6, or with that port taken there, is served over IPv4 alone.
  if (isLocal) await open('::1', openPort).catch(() => {});
  // The server begins to watch for slow clients when it listens, which it never does itself.
  server.emit('listening');

  return {
    port: openPort,
    stopAccepting() {
      for (const listener of listeners) listener.close();
    },
    destroyConnections: connections.destroyAll,
  };
}

function createConnections({ maxConnections, shareOfAddress }: ListenOptions) {
  const sockets = new Set<Socket>();
  const ofAddress = new Map<string, number>();
  return {
    admit(socket: Socket): boolean {
      const address = plainAddress(socket.remoteAddress ?? '');
      const others = ofAddress.get(address) ?? 0;
      if (sockets.size >= maxConnections || others >= maxConnections * shareOfAddress(address)) {
        socket.destroy();
        return false;
      }
      sockets.add(socket);
      ofAddress.set(address, others + 1);
      socket.once('close', () => {
        sockets.delete(socket);
        const left = ofAddress.get(address)! - 1;
        if (left > 0) ofAddress.set(address, left);
        else ofAddress.delete(address);
      });
      return true;
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listenFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken by another program. Stop it, or choose another with SIANN_PORT and SIANN_TEST_PORT.`,
    EACCES: `Port ${port} may not be used by this user. Choose one above 1023 with SIANN_PORT and SIANN_TEST_PORT.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set SIANN_HOST to one that it has.`,
    ENOTFOUND: `There is no machine called ${host}. Set SIANN_HOST to an address of this one.`,
    EAI_AGAIN: `The name ${host} cannot be looked up. Set SIANN_HOST to an address of this machine.`,
  };
  const sentence = reasons[error.code ?? ''] ?? `Cannot listen on ${host}, port ${port}: ${error.message}`;
  return new Error(sentence, { cause: error });
}
