import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { expectTls } from '../../tls/plain-http.ts';
import { type ConnectionShares, createConnectionShares } from './connection-shares.ts';
import { createHandshakeTurns } from './handshake-turns.ts';

export type OpenPortOptions = ConnectionShares & {
  host: string;
  port: number;
};

export type OpenPort = AsyncDisposable & {
  port: number;
  /** Hands connections to the server from now on. Earlier ones were closed. */
  serve(server: HttpServer): void;
  /** Accepts no new connections. Those that are open stay open. */
  stopAccepting(): void;
};

const tcpKeepAliveMs = 60_000;

/**
 * A port is taken before anything else is done, so that only one of two services on the same data starts. The listening
 * sockets are separate from Node's server for two reasons: `localhost` can be both 127.0.0.1 and ::1, and draining can stop
 * accepting without closing connections on which clients are about to send a request.
 */
export async function openPort(options: OpenPortOptions): Promise<OpenPort> {
  const { host, port } = options;
  const connections = createConnectionShares(options);
  const listeners: Server[] = [];
  let server: HttpServer | undefined;
  const shakeHands = createHandshakeTurns((socket) => server?.emit('connection', socket), options.unlimited);
  const open = async (address: string, number: number) => {
    const listener = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
    });
    listener.on('connection', (socket) => {
      if (!server || !connections.admit(socket)) socket.destroy();
      else if (server instanceof HttpsServer) expectTls(socket, shakeHands);
      else server.emit('connection', socket);
    });
    listener.listen({ host: address, port: number });
    await once(listener, 'listening');
    listeners.push(listener);
    return (listener.address() as { port: number }).port;
  };
  const stopAccepting = () => {
    for (const listener of listeners.splice(0)) listener.close();
  };

  const isLocal = host === 'localhost';
  const number = await open(isLocal ? '127.0.0.1' : host, port).catch((error) => {
    throw portFailure(error, host, port);
  });
  // A machine without IPv6 is served over IPv4 alone.
  if (isLocal) {
    await open('::1', number).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || port === 0) return;
      stopAccepting();
      throw portFailure(error, host, port);
    });
  }

  return {
    port: number,
    serve(httpServer) {
      server = httpServer;
      // Node's server checks for slow clients from its `listening` event on, and this server never listens.
      server.emit('listening');
    },
    stopAccepting,
    async [Symbol.asyncDispose]() {
      stopAccepting();
      server?.closeAllConnections();
      connections.destroyAll();
      server?.close();
    },
  };
}

function portFailure(error: NodeJS.ErrnoException, host: string, port: number): Error {
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
