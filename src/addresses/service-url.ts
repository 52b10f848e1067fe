/** How this machine reaches a service that listens on `host`. Behind a proxy the service itself speaks plain HTTP. */
export function serviceUrl({ host, port, tls }: { host: string; port: number; tls: boolean }): string {
  return `${tls ? 'https' : 'http'}://${urlHost(host)}:${port}`;
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
