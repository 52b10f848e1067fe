import type { Metrics } from '../../operations/metrics.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import type { SessionFault, SessionOptions } from '../../sessions/session.ts';

type Options = {
  requestId: string;
  metrics: Pick<Metrics, 'streamFault'>;
  log: Pick<ServiceLog, 'error'>;
};

/** Counts every fault inside a stream, and logs the first one of each kind, because the others are mostly the same. */
export function reportFaults({ requestId, metrics, log }: Options): SessionOptions['onFault'] {
  const logged = new Set<SessionFault>();
  return (fault, error) => {
    metrics.streamFault(fault);
    if (logged.has(fault)) return;
    logged.add(fault);
    log.error({ requestId, fault, err: error }, 'stream fault');
  };
}
