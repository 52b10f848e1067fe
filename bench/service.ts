// `npm run bench:service`: whether the service keeps its promises under load, crashes and oversized uploads.

import { chooseChecks, readOptions } from '../evaluation/command-options.ts';
import { loadConfig } from '../src/settings/config.ts';
import { createExplain, type Figure, printFigures } from './figure.ts';
import { measureAccountRate } from './service/account-rate.ts';
import { measureKills } from './service/kill.ts';
import { measureLimits } from './service/limits.ts';
import { measureLoad } from './service/load.ts';
import { measureOverhead } from './service/overhead.ts';
import { servedModel, servedSettings } from './service/served-model.ts';

const checks = ['account', 'overhead', 'load', 'kill', 'limits'] as const;

const values = readOptions({
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
});
const config = loadConfig(process.env);
const explain = createExplain(values.verbose);

await printFigures(chooseChecks(checks, values.only), measure);

function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'account':
      return measureAccountRate({
        env: servedSettings(values.model, 'tiny'),
        seconds: Number(values.seconds),
        connections: Number(values.connections),
        ...(values.database && { databaseUrl: values.database }),
        ...(values.profile && { nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] }),
        explain,
      });
    case 'overhead':
      return measureOverhead({
        env: servedSettings(values.model, 'small'),
        config: { ...config, model: servedModel(values.model, 'small') },
        rounds: Number(values.rounds),
        explain,
      });
    case 'load':
      return measureLoad({
        env: servedSettings(values.model, 'tiny'),
        uploads: Number(values.uploads),
        keys: Number(values.keys),
        explain,
      });
    case 'kill':
      return measureKills({
        env: servedSettings(values.model, 'tiny'),
        requests: Number(values.requests),
        kills: Number(values.kills),
        seed: Number(values.seed),
        explain,
      });
    case 'limits':
      return measureLimits({ env: servedSettings(values.model, 'tiny'), explain });
  }
}
