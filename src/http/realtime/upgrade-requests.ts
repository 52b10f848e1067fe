import { type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../../errors/service-error.ts';
import { answerRaw } from '../server/raw-answer.ts';

/**
 * Sends upgrade requests through the same hooks and the same gate as all other requests, so that an error before the upgrade is
 * answered as HTTP.
 */
export function routeUpgrades(server: Server, handler: RequestListener): void {
  server.on('upgrade', (request, duplex, head: Buffer) => {
    const socket = duplex as Socket;
    // Node.js has removed its own listener from this socket.
    socket.on('error', () => socket.destroy());
    const { headers } = request;
    // Node.js does not read the body of an upgrade request, and the route would wait for it.
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
      const message = 'A request with a body cannot ask for another protocol. Leave out the header Upgrade.';
      return answerRaw(socket, new ServiceError('invalid_value', { message }));
    }
    if (head.length > 0) socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket);
    } catch {
      // A request that came before it on this connection is not answered yet, so the connection cannot change its protocol.
      socket.destroy();
      return;
    }
    response.once('finish', () => socket.destroySoon());
    handler(request, response);
  });
}
