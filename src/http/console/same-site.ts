import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors/service-error.ts';

/** No page can set it for another site without being asked first, and the console never says yes. */
export const consoleHeader = 'x-siann-console';

const harmless = new Set(['GET', 'HEAD']);

/**
 * The cookie alone is not enough: what changes anything must come from the console's own page. Browsers say where a
 * request comes from in `Sec-Fetch-Site`, older ones in `Origin`; the cookie's `SameSite` stands behind both.
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
