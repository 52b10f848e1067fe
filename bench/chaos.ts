// `npm run chaos`: whether a cluster keeps its promises while its nodes, Redis and PostgreSQL are killed and restarted.

import { readOptions } from '../evaluation/command-options.ts';
import { endProgress, showProgress } from '../evaluation/progress.ts';
import { chaosFigures } from './chaos/chaos-figures.ts';
import { runChaos } from './chaos/run-chaos.ts';
import { startCluster } from './cluster/cluster.ts';
import { createExplain, printFigures } from './figure.ts';
import { servedSettings } from './service/served-model.ts';

const values = readOptions({
  seed: { type: 'string', default: '1' },
  requests: { type: 'string', default: '1000' },
  /** One mishap for so many requests. */
  every: { type: 'string', default: '25' },
  apis: { type: 'string', default: '2' },
  workers: { type: 'string', default: '2' },
  'at-once': { type: 'string', default: '8' },
  model: { type: 'string' },
  /** Redis loses what it holds whenever it is killed. */
  forgetful: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const explain = createExplain(values.verbose);

console.log(`seed ${seed}`);
await printFigures(['chaos'], async () => {
  await using cluster = await startCluster({
    apis: Number(values.apis),
    workers: Number(values.workers),
    redisKeepsData: !values.forgetful,
    env: servedSettings(values.model, 'tiny'),
  });
  const result = await runChaos({
    cluster,
    requests,
    seed,
    mishaps: Math.round(requests / Number(values.every)),
    atOnce: Number(values['at-once']),
    expiryMs: 120_000,
    explain,
    onProgress: (ended) => showProgress(`${ended} of ${requests} requests`),
  });
  endProgress();
  return chaosFigures(result, { seed, explain });
});
