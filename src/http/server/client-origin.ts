import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

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
  const trusted = networkList(trustedProxies);

  return (request: IncomingMessage): ClientOrigin => {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    if (tls === 'on') return { address: peer, secure: true };
    if (!trusted.includes(peer)) return { address: peer, secure: false };
    const hops = listed(request.headers['x-forwarded-for']).map(plainAddress);
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

export type NetworkList = { includes(address: string): boolean };

/** Networks such as 10.0.0.0/8, or single addresses. */
export function networkList(networks: readonly string[]): NetworkList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return {
    includes(address) {
      const family = isIP(address);
      return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

/** IPv4 as IPv4, also where the socket speaks IPv6; a port or brackets that a proxy added are taken off. */
export function plainAddress(text: string): string {
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
}

function listed(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return String(header)
    .split(',')
    .map((part) => part.trim().toLowerCase());
}
