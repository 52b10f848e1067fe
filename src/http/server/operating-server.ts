import { createNetworkList } from '../../addresses/networks.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { Readiness } from '../../operations/readiness.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import type { ServiceState } from '../../operations/service-state.ts';
import type { Config } from '../../settings/config.ts';
import { operatingRoutes } from '../routes/operating.ts';
import { createClientOrigin } from './client-origin.ts';
import type { OpenPort } from './connection/open-port.ts';
import { createEnvironmentApp } from './environment-app.ts';
import { createNodeServer } from './node-server.ts';

export type OperatingServerOptions = {
  port: OpenPort;
  config: Pick<Config, 'headersSeconds' | 'keepAliveSeconds' | 'metricsAllow'>;
  state: ServiceState;
  readiness: Readiness;
  metrics: Metrics;
  log: ServiceLog;
};

/** Answers probes and Prometheus over plain HTTP, for a process that has no other clients. */
export async function createOperatingServer(options: OperatingServerOptions): Promise<AsyncDisposable> {
  const { port, config, state, readiness, metrics, log } = options;
  const metricsAllow = createNetworkList(config.metricsAllow);
  const app = await createEnvironmentApp({
    environment: 'live',
    state,
    log,
    metrics,
    gate: { admit: () => Promise.reject(new ServiceError('not_found')) },
    clientOrigin: createClientOrigin({ tls: 'on', trustedProxies: [] }),
    createServer(handler) {
      const server = createNodeServer({ config, certifiedKey: undefined }, handler);
      port.serve(server);
      return server;
    },
    routes: (app) => operatingRoutes(app, { readiness, metrics, metricsAllow }),
  });
  return {
    async [Symbol.asyncDispose]() {
      await port[Symbol.asyncDispose]();
      await app.close();
    },
  };
}
