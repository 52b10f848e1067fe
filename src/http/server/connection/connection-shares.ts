import type { Socket } from 'node:net';
import { normaliseAddress, senderOf } from '../../../addresses/client-address.ts';
import type { NetworkList } from '../../../addresses/networks.ts';
import { createTally } from '../../../async/tally.ts';

export type ConnectionShares = {
  maxConnections: number;
  /** Addresses that may hold all connections, such as a proxy. Any other address, or /64 of IPv6, may hold a quarter of them. */
  unlimited?: NetworkList;
};

const shareOfOne = 1 / 4;

/** The connections of a port. Nobody holds so many of them that others cannot connect. */
export function createConnectionShares({ maxConnections, unlimited }: ConnectionShares) {
  const sockets = new Set<Socket>();
  const ofSender = createTally();
  return {
    admit(socket: Socket): boolean {
      const address = normaliseAddress(socket.remoteAddress ?? '');
      const sender = senderOf(address);
      const share = unlimited?.includes(address) ? 1 : shareOfOne;
      if (sockets.size >= maxConnections || ofSender.of(sender) >= maxConnections * share) return false;
      sockets.add(socket);
      ofSender.add(sender);
      socket.once('close', () => {
        sockets.delete(socket);
        ofSender.remove(sender);
      });
      return true;
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
