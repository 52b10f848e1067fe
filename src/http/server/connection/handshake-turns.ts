import type { Socket } from 'node:net';
import { normaliseAddress, senderOf } from '../../../addresses/client-address.ts';
import type { NetworkList } from '../../../addresses/networks.ts';
import { createOneATurn } from '../../../async/one-a-turn.ts';
import { createPaces } from '../../../async/paces.ts';

/** A handshake takes this thread a millisecond. A busy client keeps its connections, and needs few. */
const ofOneSender = { perSecond: 40, burst: 100, longestMs: 5_000 };

/**
 * Begins handshakes, one in each turn of the event loop, so that hundreds that come together hold up nobody. Senders take turns, so
 * that nobody waits behind all connections of others. Those of one sender are begun at a pace: whoever opens a new connection for each
 * request waits, and takes nothing from the others.
 */
export function createHandshakeTurns(
  begin: (socket: Socket) => void,
  unlimited?: NetworkList,
): (socket: Socket) => void {
  const waitOf = createPaces(ofOneSender);
  const inTurn = createOneATurn();
  const beginInTurn = (sender: string, socket: Socket) =>
    void inTurn(() => {
      if (!socket.destroyed) begin(socket);
    }, sender);
  return (socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '');
    const sender = senderOf(address);
    const waitMs = unlimited?.includes(address) ? 0 : waitOf(sender);
    if (waitMs === 0) beginInTurn(sender, socket);
    else setTimeout(() => beginInTurn(sender, socket), waitMs).unref();
  };
}
