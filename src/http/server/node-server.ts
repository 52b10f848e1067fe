import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Config } from '../../settings/config.ts';
import { routeUpgrades } from '../realtime/upgrade-requests.ts';
import type { CertifiedKey } from '../tls/certified-key.ts';

export type NodeServerOptions = {
  config: Pick<Config, 'headersSeconds' | 'keepAliveSeconds'>;
  /** Without it the server speaks plain HTTP, to a proxy. */
  certifiedKey: CertifiedKey | undefined;
};

const maxHeaderBytes = 16 * 1024;
const handshakeMs = 10_000;

/** Node's server with limits on slow and oversized requests. It listens to nothing by itself: open-port.ts hands it connections. */
export function createNodeServer(
  { config, certifiedKey }: NodeServerOptions,
  handler: RequestListener,
): Server {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: config.headersSeconds * 1000,
    keepAliveTimeout: config.keepAliveSeconds * 1000,
    // An upload takes as long as it takes; upload-pace.ts sees to it that it goes on.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5_000, config.headersSeconds * 500),
  };
  const server = certifiedKey
    ? createHttpsServer(
        { ...limits, ...certifiedKey, minVersion: 'TLSv1.2', handshakeTimeout: handshakeMs },
        handler,
      )
    : createHttpServer(limits, handler);
  // Their size is limited; dropping the last ones could drop what a proxy added.
  server.maxHeadersCount = 0;
  // Whoever asks before sending a body is answered by the route, once the gate has let the request in.
  server.on('checkContinue', handler);
  // Other expectations may be left unmet (RFC 9110, section 10.1.1); Node would refuse them with no body and no request id.
  server.on('checkExpectation', handler);
  routeUpgrades(server, handler);
  return server;
}
