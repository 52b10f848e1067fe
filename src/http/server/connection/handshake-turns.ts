import type { Socket } from 'node:net';
import { normaliseAddress, senderOf } from '../../../addresses/client-address.ts';
import type { NetworkList } from '../../../addresses/networks.ts';
import { createOneATurn } from '../../../async/one-a-turn.ts';
import { createPace, type Pace } from '../../../async/pace.ts';

/** A handshake takes this thread a millisecond. A busy client keeps its connections, and needs few. */
const ofOneSender = { perSecond: 40, burst: 400 };
/** Senders are forgotten when there are so many, those that came first before others: they are known again with their next connection. */
const maxSenders = 10_000;

/**
 * Begins handshakes, one in each turn of the event loop, so that hundreds that come together hold up nobody. Those of one sender
 * are begun at a pace: whoever opens a new connection for each request waits, and takes nothing from the others.
 */
export function createHandshakeTurns(
  begin: (socket: Socket) => void,
  unlimited?: NetworkList,
): (socket: Socket) => void {
  const inTurn = createOneATurn();
  const paces = new Map<string, Pace>();
  const paceOf = (sender: string) => {
    const pace = paces.get(sender) ?? createPace(ofOneSender);
    paces.delete(sender);
    paces.set(sender, pace);
    if (paces.size > maxSenders) paces.delete(paces.keys().next().value!);
    return pace;
  };
  const beginInTurn = (socket: Socket) =>
    void inTurn(() => {
      if (!socket.destroyed) begin(socket);
    });
  return (socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '');
    if (unlimited?.includes(address)) return beginInTurn(socket);
    const pace = paceOf(senderOf(address));
    pace.count();
    const waitMs = pace.aheadMs();
    if (waitMs === 0) beginInTurn(socket);
    else setTimeout(() => beginInTurn(socket), waitMs).unref();
  };
}
