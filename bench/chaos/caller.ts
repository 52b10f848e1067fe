import type { ClusterNode, NodeEnd } from '../cluster/cluster-node.ts';
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
/** On its way when the node was told to stop. */
const sentJustBeforeMs = 100;

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
      const end = node.lastEnd();
      const why = `${code ?? ''} ${error.message}`.trim();
      if (end && endsWithNode(end, startedAtMs))
        return { end: 'broken', ...requestId, detail: why, retryAfterMs: 200 };
      const facts =
        end && `${end.how} from ${end.beganAtMs - startedAtMs} to ${end.goneAtMs - startedAtMs} ms`;
      return { end: 'fault', ...requestId, detail: `${node.name} broke the connection (${why}): ${facts}` };
    },
  };
}

/**
 * One that stops in good order answers what it had begun, and closes kept connections on which the next may be on its way;
 * one that starts turns connections away until it can serve them.
 */
function endsWithNode({ how, beganAtMs, backAtMs }: NodeEnd, startedAtMs: number): boolean {
  if (startedAtMs > backAtMs + beforeMs) return false;
  return how === 'killed' || startedAtMs > beganAtMs - sentJustBeforeMs;
}
