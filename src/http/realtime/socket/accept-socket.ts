import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { ServiceError } from '../../../errors/service-error.ts';

type SocketAcceptor = {
  /** Throws the error that the client gets instead of an upgrade. */
  check(request: IncomingMessage): void;
  /** Switches protocols. Only for a request that passed `check`. */
  accept(request: IncomingMessage, headers: Record<string, string>): WebSocket;
};

type SocketAcceptorOptions = { maxFrameBytes: number };

/** Browsers send a message in a few pieces. Each piece takes memory, so a message of single bytes is refused. */
const maxFragments = 1024;
/** The same for a frame that comes in so many reads of the socket. */
const maxBufferedChunks = 4096;

const keyForm = /^[+/0-9A-Za-z]{22}==$/;
const protocolForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The sub-protocols that we accept. Clients put their tokens into others. */
const acceptedProtocols = ['realtime', 'token', 'bearer'];

export function createSocketAcceptor({ maxFrameBytes }: SocketAcceptorOptions): SocketAcceptor {
  const headersOf = new WeakMap<IncomingMessage, Record<string, string>>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression hardly makes audio smaller, and it takes memory for every stream.
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    maxFragments,
    maxBufferedChunks,
    // socket-pings.ts answers them.
    autoPong: false,
    // One message of a socket is handled in each turn of the event loop, however many have come. So others are served in between.
    allowSynchronousEvents: false,
    handleProtocols: (offered) => acceptedProtocols.find((protocol) => offered.has(protocol)) ?? false,
  });
  server.on('headers', (lines, request) => {
    for (const [name, value] of Object.entries(headersOf.get(request) ?? {})) lines.push(`${name}: ${value}`);
  });

  return {
    check: checkUpgrade,
    accept(request, headers) {
      headersOf.set(request, headers);
      let accepted: WebSocket | undefined;
      server.handleUpgrade(request, request.socket as Socket, Buffer.alloc(0), (socket) => {
        readNothingAfterError(socket);
        accepted = socket;
      });
      if (!accepted) throw new Error('The upgrade was refused after it had been checked.');
      return accepted;
    },
  };
}

/**
 * ws closes a connection with a malformed frame, but goes on to read the pieces that had come before it knew. From 8.22.1 on that
 * throws where nobody can catch it, and the process would end.
 */
function readNothingAfterError(socket: WebSocket): void {
  const { _receiver: receiver } = socket as unknown as { _receiver: Writable };
  const write = receiver._write.bind(receiver);
  receiver._write = (piece, encoding, done) => (receiver.errored ? done() : write(piece, encoding, done));
}

function checkUpgrade({ headers, upgrade, method }: IncomingMessage & { upgrade?: boolean }): void {
  const isWebSocket = upgrade === true && headers.upgrade?.toLowerCase() === 'websocket';
  if (!isWebSocket || method !== 'GET') {
    throw refusal('This address speaks WebSocket. Connect to it with a WebSocket client (wss://…).');
  }
  const version = headers['sec-websocket-version'];
  if (version !== '13' && version !== '8') throw refusal('The WebSocket version must be 13.');
  if (!keyForm.test(headers['sec-websocket-key'] ?? '')) {
    throw refusal('The header Sec-WebSocket-Key is missing or malformed.');
  }
  const protocols = offeredProtocols(headers);
  if (!protocols.every((name) => protocolForm.test(name)) || new Set(protocols).size < protocols.length) {
    throw refusal('The header Sec-WebSocket-Protocol is malformed.');
  }
}

export function offeredProtocols(headers: IncomingMessage['headers']): string[] {
  const offered = headers['sec-websocket-protocol'];
  return offered === undefined
    ? []
    : offered.split(',').map((name) => name.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
}

function refusal(message: string): ServiceError {
  return new ServiceError('invalid_value', { message });
}
