import { BlockList, isIP } from 'node:net';
import { normaliseAddress } from './client-address.ts';

export type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' };

export type NetworkList = { includes(address: string): boolean };

/** A network such as 192.0.2.0/24, or a single address. Undefined for what is neither. */
export function parseNetwork(text: string): Network | undefined {
  const [given = '', length, ...rest] = text.trim().split('/');
  const address = normaliseAddress(given);
  const version = isIP(address);
  const isWellFormed = version !== 0 && rest.length === 0 && !given.includes('%');
  if (!isWellFormed || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const isMapped = version === 4 && given.includes(':');
  const maxBits = version === 4 ? 32 : 128;
  const bits = length === undefined ? maxBits : Number(length) - (isMapped ? 96 : 0);
  if (bits < 0 || bits > maxBits) return undefined;
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Throws for what is no network; an address is found in whatever form it comes. */
export function createNetworkList(networks: readonly string[]): NetworkList {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (!network) throw new Error(`"${text}" is not a network.`);
    list.addSubnet(network.address, network.bits, network.family);
  }
  return {
    includes(address) {
      const plain = normaliseAddress(address);
      const version = isIP(plain);
      return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
    },
  };
}
