// `npm run chaos`: whether a cluster keeps its promises while its nodes, Redis and PostgreSQL are killed and restarted.
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.ts';
import { chaosFigures } from './chaos/chaos-figures.ts';
import { runChaos } from './chaos/run-chaos.ts';
import { startCluster } from './cluster/cluster.ts';
import { modelSizes } from './engines/engine.ts';
import { printFigures } from './figure.ts';
import { choose } from './options.ts';
import { endProgress, showProgress } from './progress.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '1000' },
    /** One mishap for so many requests. */
    every: { type: 'string', default: '25' },
    apis: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
    'at-once': { type: 'string', default: '8' },
    model: { type: 'string', default: 'tiny' },
    /** Redis loses what it holds whenever it is killed. */
    forgetful: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const explain = (line: string) => {
  if (values.verbose) console.log(line);
};

console.log(`seed ${seed}`);
const figures = await printFigures(['chaos'], async () => {
  await using cluster = await startCluster({
    apis: Number(values.apis),
    workers: Number(values.workers),
    redisKeepsData: !values.forgetful,
    env: {
      SIANN_MODEL: choose('model', modelSizes, values.model),
      SIANN_CACHE: loadConfig(process.env).cacheFolder,
    },
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
if (figures.some(({ passes }) => !passes)) process.exitCode = 1;
