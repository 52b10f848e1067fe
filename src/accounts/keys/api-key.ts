import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Environment } from '../../../wire/account.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const secretLength = 32;
const prefixLength = 'sk_test_'.length + 4;

export type FreshKey = { key: string; prefix: string; hash: string };

/** A new key, to be shown once; only its hash and its first characters are kept. */
export function createApiKey(environment: Environment, secret = randomText(secretLength)): FreshKey {
  const key = `sk_${environment}_${secret}`;
  return { key, prefix: key.slice(0, prefixLength), hash: hashOf(key) };
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The key in an Authorization header, when it has the form of one. */
export function keyInHeader(authorization: string | undefined): string | undefined {
  // The scheme may be written in any case, the key may not.
  return /^[Bb][Ee][Aa][Rr][Ee][Rr] +(sk_(?:test|live)_[A-Za-z0-9]{32})$/.exec(authorization ?? '')?.[1];
}

export function randomText(length: number): string {
  return textOf(length, () => randomBytes(length));
}

/** The same text for the same secret and label, from which nobody learns the secret or the text of another label. */
export function derivedText(secret: string, label: string, length = secretLength): string {
  let round = 0;
  return textOf(length, () => createHmac('sha512', secret).update(`${label} ${round++}`).digest());
}

/** Letters and digits, each as likely as the other: bytes that would favour some are thrown away. */
function textOf(length: number, moreBytes: () => Buffer): string {
  const fair = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of moreBytes()) {
      if (byte < fair && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}
