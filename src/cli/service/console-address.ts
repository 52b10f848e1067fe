import { serviceUrl } from '../../addresses/service-url.ts';
import type { Config } from '../../settings/config.ts';

/** Where the console opens for somebody who chooses a name and a password with this link. It stays out of logs after the #. */
export function setupAddress(origin: string, link: string): string {
  return `${origin}/console#/setup?link=${link}`;
}

/** Of the settings, for a service that this process does not run. */
export function consoleOrigin({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>): string {
  if (tls === 'proxy') return 'https://YOUR-ADDRESS';
  return serviceUrl({ host, port, tls: true });
}
