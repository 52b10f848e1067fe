import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Environment } from '../../wire/account.ts';
import { type ServedProcess, type ServeOptions, serve } from '../service/served-process.ts';

export type Role = 'api' | 'worker';

/** One process of a cluster, which keeps its name and its address from one life to the next. */
export type ClusterNode = AsyncDisposable & {
  name: string;
  role: Role;
  port: number;
  /** The process as it is now, or was last. */
  process(): ServedProcess;
  /** As an operator would end it: returns when it has ended. */
  stop(): Promise<void>;
  kill(): Promise<void>;
  /** Resolves when it says that it is ready. */
  start(): Promise<void>;
  /** How its last life ended, if it did. */
  lastEnd(): NodeEnd | undefined;
  /** Inference processes of earlier lives that are still there. */
  orphans(): number[];
};

/** When it was killed or told to stop, was gone, and was ready again, by the clock of `performance.now()`. */
export type NodeEnd = { how: 'killed' | 'stopped'; beganAtMs: number; goneAtMs: number; backAtMs: number };

export type ClusterNodeOptions = Omit<ServeOptions, 'ports' | 'role'> & { name: string; role: Role };

export async function startNode({ name, role, ...options }: ClusterNodeOptions): Promise<ClusterNode> {
  const ports = { live: await freePort(), test: await freePort() } satisfies Record<Environment, number>;
  const earlierChildren: number[] = [];
  let lastEnd: NodeEnd | undefined;
  const end = async (how: NodeEnd['how'], ended: () => Promise<void>) => {
    const never = Number.POSITIVE_INFINITY;
    const ending = { how, beganAtMs: performance.now(), goneAtMs: never, backAtMs: never };
    lastEnd = ending;
    const { children } = await current.footprint().catch(() => ({ children: [] }));
    earlierChildren.push(...children);
    await ended();
    ending.goneAtMs = performance.now();
  };
  const begin = () =>
    serve({ ...options, role, ports, env: { SIANN_INSTANCE: name, ...options.env } }).catch((cause) => {
      throw new Error(`${name} did not start.`, { cause });
    });
  let current = await begin();
  return {
    name,
    role,
    port: ports.live,
    process: () => current,
    lastEnd: () => lastEnd,
    orphans: () => earlierChildren.filter(isInference),
    stop: () => end('stopped', () => current.stop()),
    kill: () => end('killed', () => current.kill()),
    async start() {
      current = await begin();
      if (lastEnd) lastEnd.backAtMs = performance.now();
    },
    [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
  };
}

/** By now its number may be another process's. */
function isInference(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('pool/process/child');
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  holder.close();
  await once(holder, 'close');
  return port;
}
