import type { RequestListener, Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { Environment, Gate } from '../accounts/admission.ts';
import type { Config } from '../config.ts';
import { createClientOrigin, networkList } from './client-origin.ts';
import { createEnvironmentApp } from './environment-app.ts';
import { listen } from './listen.ts';
import type { Metrics } from './metrics.ts';
import { createNodeServer } from './node-server.ts';
import type { ServiceLog } from './service-log.ts';
import type { ServiceState } from './service-state.ts';
import type { CertificateSource } from './tls/certificate-source.ts';

export type EnvironmentServerOptions = {
  environment: Environment;
  port: number;
  config: Config;
  /** Without it, plain HTTP to a proxy. */
  certificates: CertificateSource | undefined;
  gate: Gate;
  state: ServiceState;
  log: ServiceLog;
  metrics: Metrics;
  routes(app: FastifyInstance): void | Promise<void>;
};

export type EnvironmentServer = AsyncDisposable & {
  port: number;
  stopAccepting(): void;
};

/** How much of all connections one address may hold. */
const shareOfOne = 1 / 4;

/** One environment, listening. */
export async function createEnvironmentServer(options: EnvironmentServerOptions): Promise<EnvironmentServer> {
  const { config, certificates, port } = options;
  let server: Server | undefined;
  const app = await createEnvironmentApp({
    ...options,
    clientOrigin: createClientOrigin(config),
    strictTransport: config.certificate !== undefined,
    createServer(handler: RequestListener) {
      server = createNodeServer({ config, certifiedKey: certificates?.current() }, handler);
      return server;
    },
  });
  const httpServer = server!;
  certificates?.onChange((certifiedKey) => {
    if (httpServer instanceof HttpsServer)
      httpServer.setSecureContext({ ...certifiedKey, minVersion: 'TLSv1.2' });
  });
  const proxies = networkList(config.tls === 'proxy' ? config.trustedProxies : []);
  const listening = await listen({
    server: httpServer,
    host: config.host,
    port,
    maxConnections: config.maxConnections,
    shareOfAddress: (address) => (proxies.includes(address) ? 1 : shareOfOne),
  }).catch(async (error) => {
    await app.close();
    throw error;
  });

  return {
    port: listening.port,
    stopAccepting: listening.stopAccepting,
    async [Symbol.asyncDispose]() {
      listening.stopAccepting();
      httpServer.closeAllConnections();
      listening.destroyConnections();
      httpServer.close();
      await app.close();
    },
  };
}
