import type { ClusterNode } from '../cluster/cluster-node.ts';
import { BrokenAnswer, type Client } from '../service/client.ts';
import type { BenchKey } from '../service/service-folder.ts';
import type { Outcome } from './outcome.ts';

/** One client with the node that a load balancer gave it. */
export type Caller = {
  key: BenchKey;
  node: ClusterNode;
  ca: string;
  send: Client['transcribe'];
  /** What it means that no whole answer came. */
  lost(error: Error): Pick<Outcome, 'end' | 'requestId' | 'detail' | 'retryAfterMs'>;
};

export const connectionRefused = 'connection refused';

export type CallerOptions = { key: BenchKey; node: ClusterNode; ca: string; client: Client };

/** A kept connection may have ended with its node some moments before anything is sent on it. */
const beforeMs = 2_000;

export function createCaller({ key, node, ca, client }: CallerOptions): Caller {
  const startedAtMs = performance.now();
  return {
    key,
    node,
    ca,
    send: client.transcribe,
    lost(error) {
      const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
      const requestId = error instanceof BrokenAnswer ? { requestId: error.requestId } : {};
      // Nothing was sent: a load balancer takes another node.
      if (code === 'ECONNREFUSED') return { end: 'retryable', detail: connectionRefused, retryAfterMs: 200 };
      if (node.endedAtMs() > startedAtMs - beforeMs)
        return { end: 'broken', ...requestId, detail: code ?? error.message, retryAfterMs: 200 };
      const detail = `${node.name} broke the connection, though nobody ended it: ${code ?? error.message}`;
      return { end: 'fault', ...requestId, detail };
    },
  };
}
