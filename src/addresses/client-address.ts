import { isIPv4, isIPv6 } from 'node:net';

/**
 * The address of a client in one form. An IPv4 address that comes as `::ffff:192.0.2.1` is that IPv4 address, and a zone
 * (`%eth0`) says nothing about the sender. What is no address stays as it is.
 */
export function normaliseAddress(address: string): string {
  const withoutZone = address.replace(/%.*$/, '');
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)?.[1];
  return mapped && isIPv4(mapped) ? mapped : withoutZone;
}

/** The same for an address as proxies write it into a header, where it may have a port or brackets. */
export function parseForwardedAddress(text: string): string {
  const inBrackets = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  const beforePort = /^([\d.]+):\d+$/.exec(text)?.[1];
  return normaliseAddress(inBrackets ?? beforePort ?? text);
}

/** What is counted as one sender: a customer has a whole /64 of IPv6, and could send each request from another address of it. */
export function senderOf(address: string): string {
  const plain = normaliseAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = [], tail] = plain.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = tail ? Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0') : [];
  const groups = [...head, ...zeros, ...(tail ?? [])].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16)).join(':');
}
