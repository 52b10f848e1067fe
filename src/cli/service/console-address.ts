import { serviceUrl } from '../../addresses/service-url.ts';
import type { Config } from '../../settings/config.ts';

/** Where somebody chooses a name and a password with this link. Browsers do not send what comes after the #, so no log has it. */
export function setupAddress(origin: string, link: string): string {
  return `${origin}/console#/setup?link=${link}`;
}

/** The console's origin according to the settings, for a service that another process runs. */
export function consoleOrigin({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>): string {
  if (tls === 'proxy') return 'https://YOUR-ADDRESS';
  return serviceUrl({ host, port, tls: true });
}
