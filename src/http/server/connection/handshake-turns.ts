import type { Socket } from 'node:net';
import { normaliseAddress, senderOf } from '../../../addresses/client-address.ts';
import type { NetworkList } from '../../../addresses/networks.ts';
import { createOneATurn } from '../../../async/one-a-turn.ts';
import { createPaces } from '../../../async/paces.ts';

/** A handshake takes this thread a millisecond. A busy client keeps its connections, and needs few. */
const ofOneSender = { perSecond: 40, burst: 100 };

/**
 * Begins handshakes, one in each turn of the event loop, so that hundreds that come together hold up nobody. Those of one sender
 * are begun at a pace: whoever opens a new connection for each request waits, and takes nothing from the others.
 */
export function createHandshakeTurns(
  begin: (socket: Socket) => void,
  unlimited?: NetworkList,
): (socket: Socket) => void {
  const inTurn = createOneATurn();
  const waitOf = createPaces(ofOneSender);
  const beginInTurn = (socket: Socket) =>
    void inTurn(() => {
      if (!socket.destroyed) begin(socket);
    });
  return (socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '');
    if (unlimited?.includes(address)) return beginInTurn(socket);
    const waitMs = waitOf(senderOf(address));
    if (waitMs === 0) beginInTurn(socket);
    else setTimeout(() => beginInTurn(socket), waitMs).unref();
  };
}
