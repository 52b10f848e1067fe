import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors/service-error.ts';

/** A page of another site can send this header only after a CORS preflight, and the console never allows one. */
export const consoleHeader = 'x-siann-console';

const harmless = new Set(['GET', 'HEAD']);

/**
 * The cookie alone is not enough: a request that changes something must come from the console's own page. Browsers say in
 * `Sec-Fetch-Site` where a request comes from, older ones in `Origin`. The cookie's `SameSite` is a second protection.
 */
export function refuseOtherSites({ method = '', headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  const isOwnPage = site === undefined ? isOwnOrigin(headers) : site === 'same-origin';
  if (isOwnPage && headers[consoleHeader] === '1') return;
  if (harmless.has(method) && (site === undefined || site === 'same-origin' || site === 'none')) return;
  throw new ServiceError('insufficient_permission', {
    message: 'This may only be asked for by the console itself.',
  });
}

function isOwnOrigin({ origin, host }: IncomingMessage['headers']): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
