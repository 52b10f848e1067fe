import { serviceUrl } from '../addresses/service-url.ts';
import { openPort } from '../http/server/connection/open-port.ts';
import { createOperatingServer } from '../http/server/operating-server.ts';
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
import { createOpenParts } from './open-parts.ts';

export type WorkerServiceOptions = {
  config: Config;
  log: ServiceLog;
  onPrepare?: RecogniserOptions['onPrepare'];
  /** Instead of the real worker. */
  createWorker?: (options: RecogniserOptions) => Promise<RecognitionWorker>;
};

export type WorkerService = AsyncDisposable & {
  /** Where it answers questions about its health, over plain HTTP. */
  address: string;
  ready(): Promise<void>;
  /** Reports from now on that it is draining. Jobs that it has taken are finished or handed back when it is disposed of. */
  drain(): void;
};

/** A process that recognises the windows of others, and answers nobody but those who look after it. */
export async function createWorkerService(options: WorkerServiceOptions): Promise<WorkerService> {
  const { config, log } = options;
  const { host, maxConnections } = config;
  const { keep, closeAll } = createOpenParts();

  try {
    const port = keep(await openPort({ host, maxConnections, port: config.port }));
    const worker = await (options.createWorker ?? createRecognitionWorker)({
      config,
      log,
      ...(options.onPrepare && { onPrepare: options.onPrepare }),
    });
    const state: ServiceState = { draining: false, requestsOpen: 0 };
    const metrics = createMetrics({ load: worker.load });
    const readiness = createReadiness({ state, recogniser: worker, redis: worker });
    keep(await createOperatingServer({ port, config, state, readiness, metrics, log }));
    // Kept last, so that it is closed first: its health can be asked for while it finishes its jobs.
    keep(worker);
    const address = serviceUrl({ host, port: port.port, tls: false });
    log.info({ address }, 'working');

    return {
      address,
      ready: () => worker.ready(),
      drain() {
        state.draining = true;
      },
      [Symbol.asyncDispose]: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
