import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import type { CertifiedKey } from './certified-key.ts';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

export type Authority = { name: string; key: KeyObject; publicKey: KeyObject };

export type CertificateRequest = {
  name: string;
  validDays: number;
  now: Date;
  /** The host names and addresses of a server. For an authority, all that it may ever vouch for: names, and networks as CIDRs; none for everything. */
  names: string[];
  /** Who vouches for it; an authority vouches for itself. */
  authority?: Authority;
};

/**
 * A certificate (RFC 5280) with a new P-256 key. It has key identifiers, because strict clients such as Python 3.13 refuse
 * certificates without them. Why no library writes it: docs/decisions/014-the-server.md.
 */
export function issueCertificate(request: CertificateRequest): CertifiedKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = request.authority ?? { name: request.name, key: privateKey, publicKey };
  const dayMs = 86_400_000;
  const content = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    ecdsaWithSha256,
    distinguishedName(authority.name),
    // Valid from an hour ago, since clocks differ.
    sequence(
      time(new Date(request.now.getTime() - 3_600_000)),
      time(new Date(request.now.getTime() + request.validDays * dayMs)),
    ),
    distinguishedName(request.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(request, publicKey, authority))),
  );
  const certificate = sequence(content, ecdsaWithSha256, bitString(sign('sha256', content, authority.key)));
  return {
    cert: toPem('CERTIFICATE', certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

function extensions({ names }: CertificateRequest, publicKey: KeyObject, authority: Authority): Buffer[] {
  const common = [
    extension('2.5.29.14', octetString(keyIdentifier(publicKey))),
    extension('2.5.29.35', sequence(implicit(0, keyIdentifier(authority.publicKey)))),
  ];
  if (authority.publicKey === publicKey) {
    return [
      // It may vouch for servers, and for no other authority.
      critical('2.5.29.19', sequence(boolean(true), integer(Buffer.from([0])))),
      critical('2.5.29.15', bitString(Buffer.from([0b0000_0110]), 1)),
      // Whoever gets hold of its key can make certificates for these names, and for none of the rest of the world.
      ...(names.length > 0
        ? [critical('2.5.29.30', sequence(explicit(0, ...names.map(permittedSubtree))))]
        : []),
      ...common,
    ];
  }
  return [
    critical('2.5.29.19', sequence()),
    critical('2.5.29.15', bitString(Buffer.from([0b1000_0000]), 7)),
    extension('2.5.29.37', sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', sequence(...names.map(alternativeName))),
    ...common,
  ];
}

function extension(identifier: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(identifier), octetString(value));
}

function critical(identifier: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(identifier), boolean(true), octetString(value));
}

function alternativeName(name: string): Buffer {
  return isIP(name) ? implicit(7, addressBytes(name)) : implicit(2, Buffer.from(name, 'latin1'));
}

/** RFC 5280, 4.2.1.10: a name stands for itself and all below it, an address for its network. */
function permittedSubtree(name: string): Buffer {
  const [address = '', bits] = name.split('/');
  if (isIP(address) === 0) return sequence(implicit(2, Buffer.from(name, 'latin1')));
  const bytes = addressBytes(address);
  const length = bits === undefined ? bytes.length * 8 : Number(bits);
  const mask = Buffer.from(
    bytes.map((_, index) => (0xff00 >> Math.min(8, Math.max(0, length - index * 8))) & 0xff),
  );
  return sequence(
    implicit(7, Buffer.concat([Buffer.from(bytes.map((byte, index) => byte & mask[index]!)), mask])),
  );
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes any IPv6 address in one form, without dots.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function distinguishedName(name: string): Buffer {
  return sequence(set(sequence(objectIdentifier('2.5.4.3'), utf8String(name))));
}

/** RFC 7093, 2.1. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);
}

function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g)!;
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
