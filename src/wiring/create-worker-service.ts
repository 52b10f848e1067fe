import { createNetworkList } from '../addresses/networks.ts';
import { serviceUrl } from '../addresses/service-url.ts';
import { ServiceError } from '../errors/service-error.ts';
import { operatingRoutes } from '../http/routes/operating.ts';
import { createClientOrigin } from '../http/server/client-origin.ts';
import { createEnvironmentApp } from '../http/server/environment-app.ts';
import { createNodeServer } from '../http/server/node-server.ts';
import { openPort } from '../http/server/open-port.ts';
import { createMetrics } from '../operations/metrics.ts';
import { createReadiness } from '../operations/readiness.ts';
import type { ServiceLog } from '../operations/service-log.ts';
import type { ServiceState } from '../operations/service-state.ts';
import type { Config } from '../settings/config.ts';
import {
  createRecognitionWorker,
  type RecogniserOptions,
  type RecognitionWorker,
} from './create-recogniser.ts';

export type WorkerServiceOptions = {
  config: Config;
  log: ServiceLog;
  onPrepare?: RecogniserOptions['onPrepare'];
  /** Another worker than the real one. */
  createWorker?: (options: RecogniserOptions) => Promise<RecognitionWorker>;
};

export type WorkerService = AsyncDisposable & {
  /** Where it says how it does, over plain HTTP. */
  address: string;
  ready(): Promise<void>;
  /** Says that it is about to end. What it has taken is finished or handed back when it is disposed of. */
  drain(): void;
};

/** A process that recognises the windows of others, and answers nobody but those who look after it. */
export async function createWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { config, log } = options;
  const { host, maxConnections } = config;
  const port = await openPort({ host, maxConnections, port: config.port });
  try {
    const worker = await (options.createWorker ?? createRecognitionWorker)({
      config,
      log,
      ...(options.onPrepare && { onPrepare: options.onPrepare }),
    });
    const state: ServiceState = { draining: false, requestsOpen: 0 };
    const metrics = createMetrics({ load: worker.load });
    const readiness = createReadiness({ state, recogniser: worker, redis: worker });
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
    const address = serviceUrl({ host, port: port.port, tls: false });
    log.info({ address }, 'working');

    return {
      address,
      ready: () => worker.ready(),
      drain() {
        state.draining = true;
      },
      async [Symbol.asyncDispose]() {
        await worker[Symbol.asyncDispose]();
        await port[Symbol.asyncDispose]();
        await app.close();
      },
    };
  } catch (error) {
    await port[Symbol.asyncDispose]();
    throw error;
  }
}
