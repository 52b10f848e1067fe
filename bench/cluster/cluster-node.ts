import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Environment } from '../../src/accounts/admission.ts';
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
  /** When it last was told to stop, or killed, by the clock of `performance.now()`. */
  endedAtMs(): number;
};

export type ClusterNodeOptions = Omit<ServeOptions, 'ports' | 'role'> & { name: string; role: Role };

export async function startNode({ name, role, ...options }: ClusterNodeOptions): Promise<ClusterNode> {
  const ports = { live: await freePort(), test: await freePort() } satisfies Record<Environment, number>;
  let endedAtMs = Number.NEGATIVE_INFINITY;
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
    endedAtMs: () => endedAtMs,
    stop() {
      endedAtMs = performance.now();
      return current.stop();
    },
    kill() {
      endedAtMs = performance.now();
      return current.kill();
    },
    async start() {
      current = await begin();
    },
    [Symbol.asyncDispose]: () => current[Symbol.asyncDispose](),
  };
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  holder.close();
  await once(holder, 'close');
  return port;
}
