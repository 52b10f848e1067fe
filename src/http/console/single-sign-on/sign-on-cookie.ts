import type { IncomingMessage } from 'node:http';
import type { Seal } from '../../../storage/seal.ts';
import type { SignOnFlow } from './identity-provider.ts';

/**
 * What a browser keeps while its user is at the provider: sealed, so that it can be neither read nor made up, and so that any
 * node can finish what another has begun. `Lax`, since the browser comes back from another site.
 */
const name = '__Host-siann-sign-on';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';
const lifetimeSeconds = 600;
const place = 'single sign-on';

export function signOnCookie(seal: Seal, flow: SignOnFlow, nowMs: number): string {
  const content = JSON.stringify({ ...flow, endsAtMs: nowMs + lifetimeSeconds * 1000 });
  return `${name}=${seal.close(content, place)}; Max-Age=${lifetimeSeconds}; ${attributes}`;
}

export const endedSignOnCookie = `${name}=; Max-Age=0; ${attributes}`;

/** Undefined when the browser has none, or when it is too old or not of our making. */
export function readSignOnCookie(
  seal: Seal,
  request: IncomingMessage,
  nowMs: number,
): SignOnFlow | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  const sealed = pairs.find(([key]) => key === name)?.[1];
  const content = sealed === undefined ? undefined : seal.open(sealed, place);
  if (content === undefined) return undefined;
  const { endsAtMs, ...flow } = JSON.parse(content) as SignOnFlow & { endsAtMs: number };
  return endsAtMs > nowMs ? flow : undefined;
}
