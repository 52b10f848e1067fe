import type { Caller } from '../chaos/caller.ts';
import type { ClusterNode } from '../cluster/cluster-node.ts';
import { type Answer, BrokenAnswer, type Client } from '../service/client.ts';
import type { BenchKey } from '../service/service-folder.ts';
import type { CrashRecord } from './crashes.ts';

type Options = {
  key: BenchKey;
  port: number;
  ca: string;
  client: Client;
  /** Everything that has been killed so far. */
  crashes: readonly CrashRecord[];
};

/** A crash may have ended a connection some moments before anything is sent on it, or before the balancer notices. */
const marginMs = 3_000;

/** A client that sees nothing but the balancer, and so cannot tell which node it had. */
export function createBalancedCaller({ key, port, ca, client, crashes }: Options): Caller {
  const startedAtMs = performance.now();
  const lost: Caller['lost'] = (error) => {
    const requestId = error instanceof BrokenAnswer ? { requestId: error.requestId } : {};
    const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
    const detail = `${code ?? ''} ${error.message}`.trim();
    const isExplained = crashes.some(
      ({ container, child, backAtMs }) =>
        !child &&
        (container.service === 'api' || container.service === 'balancer') &&
        startedAtMs < backAtMs + marginMs,
    );
    return isExplained
      ? { end: 'broken', ...requestId, detail, retryAfterMs: 300 }
      : { end: 'fault', ...requestId, detail: `no node was killed, and ${detail}` };
  };
  return {
    key,
    ca,
    // Streams are opened at its port.
    node: { port } as ClusterNode,
    lost,
    async send(...given) {
      const answer = await client.transcribe(...given);
      if (isOfNode(answer)) return answer;
      // The balancer's own words for a node that died with the request, which may have been charged by then.
      throw new Error(`the balancer answered ${answer.status}`);
    },
  };
}

function isOfNode({ headers }: Answer): boolean {
  return headers['x-request-id'] !== undefined;
}
