import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { normaliseAddress, parseForwardedAddress } from '../../addresses/client-address.ts';
import { createNetworkList } from '../../addresses/networks.ts';

/** Where a request comes from, and whether it came over HTTPS. */
export type ClientOrigin = { address: string; secure: boolean };

/** On no list, and nobody's. */
const unknownAddress = 'unknown';

export type ClientOriginOptions = { tls: 'on' | 'proxy'; trustedProxies: readonly string[] };

/**
 * What a trusted proxy says about a request counts; what anybody else says does not. In a chain of proxies the address is
 * the last one that none of them vouches for, since everything before it may be made up.
 */
export function createClientOrigin({ tls, trustedProxies }: ClientOriginOptions) {
  const trusted = createNetworkList(trustedProxies);

  return (request: IncomingMessage): ClientOrigin => {
    const peer = normaliseAddress(request.socket.remoteAddress ?? '');
    if (tls === 'on') return { address: peer, secure: true };
    if (!trusted.includes(peer)) return { address: peer, secure: false };
    const hops = listed(request.headers['x-forwarded-for']).map(parseForwardedAddress);
    const protocols = listed(request.headers['x-forwarded-proto']);
    // A proxy that does not say for whom it asks must not lend its own address to everybody.
    let address = protocols.length > 0 && hops.length === 0 ? unknownAddress : peer;
    while (trusted.includes(address) && hops.length > 0) {
      const hop = hops.pop()!;
      address = isIP(hop) === 0 ? unknownAddress : hop;
    }
    // Every hop must have been HTTPS: a client can put a first value of its own choice.
    return { address, secure: protocols.length > 0 && protocols.every((protocol) => protocol === 'https') };
  };
}

function listed(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((part) => part.trim().toLowerCase());
}
