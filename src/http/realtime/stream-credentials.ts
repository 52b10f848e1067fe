import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors/service-error.ts';
import { offeredProtocols } from './socket/accept-socket.ts';

/** The key or the token that a request brings. */
export type RequestCredentials = { authorization: string | undefined; streamToken?: string | undefined };

/** Keys come only in a header. Browsers have tokens instead, which come in the query or as a sub-protocol. */
export function streamCredentials(request: IncomingMessage): RequestCredentials {
  const { authorization } = request.headers;
  return { authorization, streamToken: tokenOf(request) };
}

/** Deepgram's clients send `Token` instead of `Bearer`. In browsers, they offer the sub-protocols `token` and the key. */
export function deepgramCredentials(request: IncomingMessage): RequestCredentials {
  const { authorization, streamToken } = streamCredentials(request);
  return { authorization: authorization?.replace(/^token /i, 'Bearer '), streamToken };
}

export function queryOf(request: IncomingMessage): URLSearchParams {
  return new URL(request.url ?? '', 'https://localhost').searchParams;
}

const openaiPrefix = 'openai-insecure-api-key.';

function tokenOf(request: IncomingMessage): string | undefined {
  // An address can have thousands of parameters, and is parsed only if it may have this one.
  const inQuery = request.url?.includes('token=') ? queryOf(request).get('token') : null;
  if (inQuery !== null) return inQuery;
  const [first, second] = offeredProtocols(request.headers);
  if (first === 'token' || first === 'bearer') return second;
  return offeredProtocols(request.headers)
    .find((name) => name.startsWith(openaiPrefix))
    ?.slice(openaiPrefix.length);
}

/**
 * Refuses pages of other sites, unless SIANN_CORS_ORIGINS names them. With a token, every page may connect, because the owner
 * of the key gave the token to the page.
 */
export function createOriginCheck(allowedOrigins: readonly string[]) {
  const allowed = new Set(allowedOrigins);
  return (request: IncomingMessage): void => {
    const { origin, host } = request.headers;
    if (origin === undefined || allowed.has('*') || allowed.has(origin)) return;
    if (URL.canParse(origin) && new URL(origin).host === host) return;
    if (tokenOf(request) !== undefined) return;
    throw new ServiceError('insufficient_permission', {
      message: `Pages of ${origin.slice(0, 200)} may not connect. Use a token, or name the origin in SIANN_CORS_ORIGINS.`,
    });
  };
}
