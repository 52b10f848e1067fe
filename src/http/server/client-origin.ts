import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { normaliseAddress, parseForwardedAddress } from '../../addresses/client-address.ts';
import { createNetworkList } from '../../addresses/networks.ts';

/** Where a request comes from, and whether it came over HTTPS. */
export type ClientOrigin = { address: string; secure: boolean };

/** An address that is on no list. */
const unknownAddress = 'unknown';

export type ClientOriginOptions = { tls: 'on' | 'proxy'; trustedProxies: readonly string[] };

/**
 * Headers of a trusted proxy are believed, and those of nobody else. In a chain of proxies, the client is the last address
 * that is not a trusted proxy: everything before it may be made up.
 */
export function createClientOrigin({ tls, trustedProxies }: ClientOriginOptions) {
  const trusted = createNetworkList(trustedProxies);

  return (request: IncomingMessage): ClientOrigin => {
    // A request that was destroyed may have no socket any more.
    const peer = normaliseAddress(request.socket?.remoteAddress ?? '');
    if (tls === 'on') return { address: peer, secure: true };
    if (!trusted.includes(peer)) return { address: peer, secure: false };
    const hops = listed(request.headers['x-forwarded-for']).map(parseForwardedAddress);
    const protocols = listed(request.headers['x-forwarded-proto']);
    // When a proxy does not name its client, the proxy's own address must not stand for all clients.
    let address = protocols.length > 0 && hops.length === 0 ? unknownAddress : peer;
    while (trusted.includes(address) && hops.length > 0) {
      const hop = hops.pop()!;
      address = isIP(hop) === 0 ? unknownAddress : hop;
    }
    // Every hop must have been HTTPS, since a client can choose the first value.
    return { address, secure: protocols.length > 0 && protocols.every((protocol) => protocol === 'https') };
  };
}

function listed(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((part) => part.trim().toLowerCase());
}
