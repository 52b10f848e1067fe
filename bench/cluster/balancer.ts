import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Client, createClient } from '../service/client.ts';
import { statusOf } from '../service/served-process.ts';
import type { ClusterNode } from './cluster-node.ts';

/** What stands in front of the API nodes: it knows which of them are ready, and gives each request to the next. */
export type Balancer = Disposable & {
  pick(): ClusterNode;
  /**
   * A connection that is refused goes to the next node, since nothing was sent yet; a kept one that its node had closed is
   * opened again. Nothing else is tried twice.
   */
  transcribe: Client['transcribe'];
  /** How often another connection was needed. */
  reconnections(): number;
};

const lookEveryMs = 100;

export function createBalancer(nodes: readonly ClusterNode[], ca: string): Balancer {
  const clients = new Map(nodes.map((node) => [node, createClient({ port: node.port, ca })]));
  const ready = new Set(nodes);
  let next = 0;
  let reconnections = 0;
  let closed = false;

  const follow = async (node: ClusterNode) => {
    while (!closed) {
      if ((await statusOf('/readyz', node.port, ca)) === 200) ready.add(node);
      else ready.delete(node);
      await sleep(lookEveryMs, undefined, { ref: false });
    }
  };
  for (const node of nodes) void follow(node);
  const pick = () => {
    const candidates = ready.size > 0 ? [...ready] : nodes;
    return candidates[next++ % candidates.length]!;
  };

  return {
    pick,
    async transcribe(...request): Promise<Answer> {
      for (let attempt = 1; ; attempt++) {
        const node = pick();
        try {
          return await clients.get(node)!.transcribe(...request);
        } catch (error) {
          if (attempt > nodes.length || !wasNotHeard(error)) throw error;
          reconnections++;
          if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') ready.delete(node);
        }
      }
    },
    reconnections: () => reconnections,
    [Symbol.dispose]() {
      closed = true;
      for (const client of clients.values()) client[Symbol.dispose]();
    },
  };
}

/** Refused, or closed by the other side before a byte of an answer. */
function wasNotHeard(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE';
}
