import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Result } from 'autocannon';
import { atLeast, atMost, type Explain, type Figure, none } from '../figures/figure.ts';
import { serve } from './served-process.ts';
import { createServiceFolder } from './service-folder.ts';

export type AccountRateOptions = {
  env: Record<string, string>;
  seconds: number;
  connections: number;
  /** PostgreSQL instead of a file. */
  databaseUrl?: string;
  /** Options of Node.js for the service, such as --cpu-prof. */
  nodeOptions?: string[];
  explain: Explain;
};

/** Every key of the largest plan may ask 100 times a second: this many together are not what limits. */
const keyCount = 150;
const callers = fileURLToPath(new URL('./account-callers.ts', import.meta.url));

/** `GET /v1/account` as often as the service can answer, over TLS connections that are kept. */
export async function measureAccountRate(options: AccountRateOptions): Promise<Figure[]> {
  const { databaseUrl, connections, seconds, explain } = options;
  await using folder = await createServiceFolder(databaseUrl);
  const keys = await folder.createKeys(keyCount, 'enterprise');
  await using service = await serve({
    dataFolder: folder.path,
    env: { ...options.env, SIANN_DATABASE: folder.databaseUrl },
    ...(options.nodeOptions && { nodeOptions: options.nodeOptions }),
  });
  const call = async (duration: number): Promise<Result> => {
    const load = {
      url: `https://localhost:${service.ports.live}/v1/account`,
      keys: keys.map(({ key }) => key),
      connections,
      duration,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--import',
      'tsx',
      callers,
      JSON.stringify(load),
    ]);
    return JSON.parse(stdout);
  };
  await call(2);
  const { requests, latency, non2xx, errors } = await call(seconds);
  await service.stop();
  explain(`account: ${requests.total} answers, ${non2xx} refused, ${errors} errors, max ${latency.max} ms`);

  const what = `GET /v1/account, ${connections} TLS connections, ${databaseUrl ? 'PostgreSQL' : 'SQLite'}`;
  return [
    {
      id: 'account/rate',
      what: `${what}: requests a second`,
      // PostgreSQL on the same cores has no bar: it is not what runs on one machine.
      ...(databaseUrl ? { value: Math.round(requests.average) } : atLeast(3000, requests.average)),
    },
    { id: 'account/p50', what: `${what}: p50`, value: latency.p50, unit: 'ms', minor: true },
    {
      id: 'account/p99',
      what: `${what}: p99`,
      ...(databaseUrl ? { value: latency.p99 } : atMost(60, latency.p99)),
      unit: 'ms',
    },
    { id: 'account/errors', what: `${what}: not answered with 200`, ...none(non2xx + errors), minor: true },
  ];
}
