// `npm run bench:service`: whether the service keeps its promises under load, crashes and oversized uploads.
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.ts';
import { modelSizes } from './engines/engine.ts';
import { type Figure, printFigures } from './figure.ts';
import { choose, chooseSeveral } from './options.ts';
import { measureAccountRate } from './service/account-rate.ts';
import { measureKills } from './service/kill.ts';
import { measureLimits } from './service/limits.ts';
import { measureLoad } from './service/load.ts';
import { measureOverhead } from './service/overhead.ts';

const checks = ['account', 'overhead', 'load', 'kill', 'limits'] as const;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: checks.join(',') },
    model: { type: 'string' },
    seconds: { type: 'string', default: '15' },
    connections: { type: 'string', default: '64' },
    database: { type: 'string' },
    profile: { type: 'string' },
    rounds: { type: 'string', default: '10' },
    uploads: { type: 'string', default: '200' },
    keys: { type: 'string', default: '20' },
    requests: { type: 'string', default: '500' },
    kills: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const only = chooseSeveral('only', checks, values.only);
const config = loadConfig(process.env);
const explain = (line: string) => {
  if (values.verbose) console.log(line);
};

await printFigures(
  checks.filter((each) => only.includes(each)),
  measure,
);

function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'account':
      return measureAccountRate({
        env: settings('tiny'),
        seconds: Number(values.seconds),
        connections: Number(values.connections),
        ...(values.database && { databaseUrl: values.database }),
        ...(values.profile && { nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] }),
        explain,
      });
    case 'overhead':
      return measureOverhead({
        env: settings('small'),
        config: { ...config, model: modelOr('small') },
        rounds: Number(values.rounds),
        explain,
      });
    case 'load':
      return measureLoad({
        env: settings('tiny'),
        uploads: Number(values.uploads),
        keys: Number(values.keys),
        explain,
      });
    case 'kill':
      return measureKills({
        env: settings('tiny'),
        requests: Number(values.requests),
        kills: Number(values.kills),
        seed: Number(values.seed),
        explain,
      });
    case 'limits':
      return measureLimits({ env: settings('tiny'), explain });
  }
}

/** What is measured is the service, so that the quickest model will do except where it is compared with recognition. */
function settings(model: (typeof modelSizes)[number]): Record<string, string> {
  return { SIANN_MODEL: modelOr(model), SIANN_CACHE: config.cacheFolder };
}

function modelOr(model: (typeof modelSizes)[number]) {
  return values.model ? choose('model', modelSizes, values.model) : model;
}
