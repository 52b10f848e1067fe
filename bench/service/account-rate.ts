import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Result } from 'autocannon';
import type { Explain, Figure } from '../figure.ts';
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

  const engine = databaseUrl ? 'PostgreSQL' : 'SQLite';
  const title = `GET /v1/account, ${connections} connections, ${engine}`;
  return [
    {
      title: `${title}: requests a second`,
      value: String(Math.round(requests.average)),
      bar: '3000',
      passes: requests.average >= 3000 && non2xx + errors === 0,
    },
    {
      title: `${title}: p50, p99`,
      value: `${latency.p50}, ${latency.p99} ms`,
      bar: 'p99 60 ms',
      passes: latency.p99 < 60,
    },
  ];
}
