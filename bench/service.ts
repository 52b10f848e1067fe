// `npm run bench:service`: whether the service keeps its promises under load, crashes and oversized uploads.

import { chooseChecks } from '../evaluation/command-options.ts';
import { loadConfig } from '../src/settings/config.ts';
import { createExplain, type Figure, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { runChecks } from './run-checks.ts';
import { measureAccountRate } from './service/account-rate.ts';
import { measureKills } from './service/kill.ts';
import { measureLimits } from './service/limits.ts';
import { measureLoad } from './service/load.ts';
import { measureOverhead } from './service/overhead.ts';
import { servedModel, servedSettings } from './service/served-model.ts';

const checks = {
  account: ['seconds', 'connections', 'database', 'profile'],
  overhead: ['rounds'],
  load: ['uploads', 'keys'],
  kill: ['requests', 'kills', 'seed'],
  limits: [],
} as const;
type Check = keyof typeof checks;
const names = Object.keys(checks) as Check[];

const { command, values } = readCommand({
  script: 'bench:service',
  checks,
  defaults: {
    only: names.join(','),
    model: undefined,
    seconds: '15',
    connections: '64',
    database: undefined,
    profile: undefined,
    rounds: '10',
    uploads: '200',
    keys: '20',
    requests: '500',
    kills: '10',
    seed: '1',
    verbose: false,
  },
});
const config = loadConfig(process.env);
const explain = createExplain(values.verbose);

await runChecks(command, chooseChecks(names, values.only), async (check) =>
  onModel(servedModel(values.model, usualModel(check)), await measure(check)),
);

/** Where the subject is not recognition, the quickest will do. */
function usualModel(check: Check) {
  return check === 'overhead' ? 'small' : 'tiny';
}

function measure(check: Check): Promise<Figure[]> {
  switch (check) {
    case 'account':
      return measureAccountRate({
        env: servedSettings(values.model, usualModel(check)),
        seconds: Number(values.seconds),
        connections: Number(values.connections),
        ...(values.database && { databaseUrl: values.database }),
        ...(values.profile && { nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] }),
        explain,
      });
    case 'overhead':
      return measureOverhead({
        env: servedSettings(values.model, usualModel(check)),
        config: { ...config, model: servedModel(values.model, usualModel(check)) },
        rounds: Number(values.rounds),
        explain,
      });
    case 'load':
      return measureLoad({
        env: servedSettings(values.model, usualModel(check)),
        uploads: Number(values.uploads),
        keys: Number(values.keys),
        explain,
      });
    case 'kill':
      return measureKills({
        env: servedSettings(values.model, usualModel(check)),
        requests: Number(values.requests),
        kills: Number(values.kills),
        seed: Number(values.seed),
        explain,
      });
    case 'limits':
      return measureLimits({ env: servedSettings(values.model, usualModel(check)), explain });
  }
}
