import type { IncomingMessage } from 'node:http';

/** The prefix `__Host-` makes browsers refuse the cookie unless it is `Secure` and set by this host for all paths (RFC 6265bis). */
const sessionName = '__Host-siann';
/** It outlives the session: it says that somebody has signed in with this browser before, and gives no access. */
const deviceName = '__Host-siann-device';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const sessionSeconds = 7 * 24 * 3600;
const deviceSeconds = 180 * 24 * 3600;

export function sessionCookies({ token, device }: { token: string; device: string }): string[] {
  return [
    `${sessionName}=${token}; Max-Age=${sessionSeconds}; ${attributes}`,
    `${deviceName}=${device}; Max-Age=${deviceSeconds}; ${attributes}`,
  ];
}

export const endedSessionCookie = `${sessionName}=; Max-Age=0; ${attributes}`;

export function readSessionCookie(request: IncomingMessage): string | undefined {
  return readCookie(request, sessionName);
}

export function readDeviceCookie(request: IncomingMessage): string | undefined {
  return readCookie(request, deviceName);
}

function readCookie({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value && /^[A-Za-z0-9]{43}$/.test(value)) return value;
  }
  return undefined;
}
