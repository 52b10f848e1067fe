import type { IncomingMessage } from 'node:http';

/** The prefix `__Host-` makes browsers refuse the cookie unless it is `Secure` and set by this host for all paths (RFC 6265bis). */
const name = '__Host-siann';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const lifetimeSeconds = 7 * 24 * 3600;

export function sessionCookie(token: string): string {
  return `${name}=${token}; Max-Age=${lifetimeSeconds}; ${attributes}`;
}

export const endedSessionCookie = `${name}=; Max-Age=0; ${attributes}`;

export function readSessionCookie({ headers }: IncomingMessage): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value && /^[A-Za-z0-9]{43}$/.test(value)) return value;
  }
  return undefined;
}
