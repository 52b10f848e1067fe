import type { RequestListener, Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { Gate } from '../../accounts/admission.ts';
import { requestsEnded } from '../../operations/service-state.ts';
import type { Config } from '../../settings/config.ts';
import type { CertificateSource } from '../tls/certificate-source.ts';
import { createClientOrigin } from './client-origin.ts';
import type { OpenPort } from './connection/open-port.ts';
import { createEnvironmentApp } from './environment-app.ts';
import { createNodeServer } from './node-server.ts';
import type { RequestRecordOptions } from './request-record.ts';

export type EnvironmentServerOptions = RequestRecordOptions & {
  port: OpenPort;
  config: Pick<
    Config,
    'tls' | 'trustedProxies' | 'certificate' | 'headersSeconds' | 'bodySeconds' | 'keepAliveSeconds'
  >;
  /** Without it, plain HTTP to a proxy. */
  certificates: CertificateSource | undefined;
  gate: Gate;
  routes(app: FastifyInstance): void | Promise<void>;
};

/** When connections are cut, their requests end and close their leases. The database must still be open for that. */
const leasesClosedWithinMs = 2_000;

/** One environment, answering on its port. */
export async function createEnvironmentServer(options: EnvironmentServerOptions): Promise<AsyncDisposable> {
  const { environment, port, config, certificates, gate, routes } = options;
  const { state, log, metrics, tracing } = options;
  let created: Server | undefined;
  const app = await createEnvironmentApp({
    environment,
    gate,
    state,
    log,
    metrics,
    tracing,
    routes,
    clientOrigin: createClientOrigin(config),
    bodyMs: config.bodySeconds * 1000,
    strictTransport: config.certificate !== undefined,
    createServer(handler: RequestListener) {
      created = createNodeServer({ config, certifiedKey: certificates?.current() }, handler);
      return created;
    },
  });
  const server = created!;
  certificates?.onChange((certifiedKey) => {
    if (server instanceof HttpsServer) server.setSecureContext({ ...certifiedKey, minVersion: 'TLSv1.2' });
  });
  port.serve(server);

  return {
    async [Symbol.asyncDispose]() {
      await port[Symbol.asyncDispose]();
      await requestsEnded(state, leasesClosedWithinMs);
      await app.close();
    },
  };
}
