import type { Socket } from 'node:net';
import { normaliseAddress, senderOf } from '../../../addresses/client-address.ts';
import type { NetworkList } from '../../../addresses/networks.ts';
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
  /** In the order in which senders have their turns: one that had it goes to the end. */
  const waiting = new Map<string, Socket[]>();
  const next = () => {
    const [sender, sockets] = waiting.entries().next().value!;
    waiting.delete(sender);
    const socket = sockets.shift()!;
    if (sockets.length > 0) waiting.set(sender, sockets);
    if (waiting.size > 0) setImmediate(next);
    if (!socket.destroyed) begin(socket);
  };
  const beginInTurn = (sender: string, socket: Socket) => {
    const sockets = waiting.get(sender);
    if (sockets) sockets.push(socket);
    else waiting.set(sender, [socket]);
    if (waiting.size === 1 && !sockets) setImmediate(next);
  };
  return (socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '');
    const sender = senderOf(address);
    const waitMs = unlimited?.includes(address) ? 0 : waitOf(sender);
    if (waitMs === 0) beginInTurn(sender, socket);
    else setTimeout(() => beginInTurn(sender, socket), waitMs).unref();
  };
}
