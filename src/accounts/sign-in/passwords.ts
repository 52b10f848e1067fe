import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/service-error.ts';

/** About 64 MB and a tenth of a second for each try (RFC 7914, and OWASP's advice of 2023). */
const cost = { N: 2 ** 16, r: 8, p: 1 };
const hashBytes = 32;
const minLength = 10;
const maxLength = 200;

/** `scrypt$N$r$p$salt$hash`. The cost is part of the hash, so that it can be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < minLength || length > maxLength)
    throw new ServiceError('invalid_value', {
      param: 'password',
      message: `A password has at least ${minLength} characters. Several words in a row are easy to remember.`,
    });
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** Takes as long for a user that does not exist as for one that does. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, n, r, p, salt, expected] = (hash ?? '').split('$');
  const chosen = hash === undefined ? cost : { N: Number(n), r: Number(r), p: Number(p) };
  const derived = await derive(
    [...password].slice(0, maxLength).join(''),
    Buffer.from(salt ?? '', 'base64'),
    chosen,
  );
  return expected !== undefined && timingSafeEqual(derived, Buffer.from(expected, 'base64'));
}

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  // The same characters, however the keyboard composes them.
  const normal = password.normalize('NFC');
  return new Promise((resolve, reject) => {
    scrypt(normal, salt, hashBytes, { ...options, maxmem: 256 * 2 ** 20 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
