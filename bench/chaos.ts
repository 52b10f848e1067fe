// `npm run chaos`: whether a cluster keeps its promises while its nodes, Redis and PostgreSQL are killed and restarted.

import { endProgress, showProgress } from '../evaluation/progress.ts';
import { chaosFigures } from './chaos/chaos-figures.ts';
import { runChaos } from './chaos/run-chaos.ts';
import { startCluster } from './cluster/cluster.ts';
import { createExplain, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { runChecks } from './run-checks.ts';
import { servedModel, servedSettings } from './service/served-model.ts';

const { command, values } = readCommand({
  script: 'chaos',
  defaults: {
    seed: '1',
    requests: '1000',
    /** One mishap for so many requests. */
    every: '25',
    apis: '2',
    workers: '2',
    'at-once': '8',
    model: undefined,
    /** Redis loses what it holds whenever it is killed. */
    forgetful: false,
    verbose: false,
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const explain = createExplain(values.verbose);

console.log(`seed ${seed}`);
await runChecks(command, ['chaos'], async () => {
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
  return onModel(servedModel(values.model, 'tiny'), chaosFigures(result, explain));
});
