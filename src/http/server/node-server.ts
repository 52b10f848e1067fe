import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Config } from '../../settings/config.ts';
import { routeUpgrades } from '../realtime/upgrade-requests.ts';
import type { CertifiedKey } from '../tls/certified-key.ts';
import { boundPipelines } from './connection/request-pipelines.ts';
import { refuseTinyChunks } from './connection/tiny-chunks.ts';

export type NodeServerOptions = {
  config: Pick<Config, 'headersSeconds' | 'keepAliveSeconds'>;
  /** Without it the server speaks plain HTTP, to a proxy. */
  certifiedKey: CertifiedKey | undefined;
};

const maxHeaderBytes = 16 * 1024;
const handshakeMs = 6_000;

/** Node's server with limits on slow and oversized requests. It listens to nothing by itself: open-port.ts hands it connections. */
export function createNodeServer(
  { config, certifiedKey }: NodeServerOptions,
  given: RequestListener,
): Server {
  const limits = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: config.headersSeconds * 1000,
    keepAliveTimeout: config.keepAliveSeconds * 1000,
    // An upload may take any time; upload-pace.ts ends one that is too slow, and body-deadline.ts every other body.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, config.headersSeconds * 500),
  };
  const handler = boundPipelines(refuseTinyChunks(given));
  const server = certifiedKey
    ? createHttpsServer(
        { ...limits, ...certifiedKey, minVersion: 'TLSv1.2', handshakeTimeout: handshakeMs },
        handler,
      )
    : createHttpServer(limits, handler);
  // The size of headers is limited, so their number need not be. Node would drop the last ones, which a proxy may have added.
  server.maxHeadersCount = 0;
  // `Expect: 100-continue` is answered by the route, after the gate has admitted the request.
  server.on('checkContinue', handler);
  // Other expectations may be ignored (RFC 9110, section 10.1.1). Node would refuse them without a body and a request id.
  server.on('checkExpectation', handler);
  routeUpgrades(server, handler);
  return server;
}
