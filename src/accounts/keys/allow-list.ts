import { BlockList, isIP, isIPv4 } from 'node:net';
import { ServiceError } from '../../errors/service-error.ts';

/** The networks as they will be kept; throws invalid_value naming the first that cannot be understood. */
export function parseAllowList(networks: readonly string[]): string[] {
  return [...new Set(networks.map((network) => formatted(parseNetwork(network))))];
}

/** Whether an address is in the list. An empty list has every address. */
export function createAddressCheck(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true;
  const list = new BlockList();
  for (const network of networks) {
    const { address, bits, family } = parseNetwork(network);
    list.addSubnet(address, bits, family);
  }
  return (address) => {
    const plain = plainAddress(address);
    return isIP(plain) !== 0 && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
  };
}

/** An IPv4 address that comes as `::ffff:192.0.2.1` is that IPv4 address; a zone says nothing about the sender. */
export function plainAddress(address: string): string {
  const withoutZone = address.replace(/%.*$/, '');
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)?.[1];
  return mapped && isIPv4(mapped) ? mapped : withoutZone;
}

type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' };

function parseNetwork(text: string): Network {
  const [given = '', length, ...rest] = text.trim().split('/');
  const address = plainAddress(given);
  const version = isIP(address);
  const wasMapped = version === 4 && given.includes(':');
  const bits = length === undefined ? undefined : Number(length) - (wasMapped ? 96 : 0);
  const maxBits = version === 4 ? 32 : 128;
  const wellFormed =
    version !== 0 &&
    rest.length === 0 &&
    !given.includes('%') &&
    (length === undefined || /^\d{1,3}$/.test(length));
  if (!wellFormed || (bits !== undefined && (bits < 0 || bits > maxBits)))
    throw new ServiceError('invalid_value', {
      message: `"${text}" is not a network. Write it as 192.0.2.0/24, 2001:db8::/32 or a single address.`,
      param: 'allow',
    });
  return { address, bits: bits ?? maxBits, family: version === 4 ? 'ipv4' : 'ipv6' };
}

function formatted({ address, bits }: Network): string {
  return `${address}/${bits}`;
}
