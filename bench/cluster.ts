// `npm run bench:cluster`: what several machines gain, what the way between them costs, and whether they stay up.
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.ts';
import { measureOutages } from './cluster/outage.ts';
import { measureRevocation } from './cluster/revocation.ts';
import { measureRollingRestart } from './cluster/rolling-restart.ts';
import { measureScale } from './cluster/scale.ts';
import { measureScheduler } from './cluster/scheduler.ts';
import { measureSoak } from './cluster/soak.ts';
import { measureWindowCost } from './cluster/window-cost.ts';
import { modelSizes } from './engines/engine.ts';
import { type Figure, printFigures } from './figure.ts';
import { choose, chooseSeveral } from './options.ts';

const checks = ['scale', 'scheduler', 'window', 'outage', 'revocation', 'restart', 'soak'] as const;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: checks.join(',') },
    model: { type: 'string' },
    workers: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '1800' },
    'stand-ins': { type: 'string', default: '1,2,4,8,16,32,64' },
    cost: { type: 'string', default: '2600' },
    rounds: { type: 'string', default: '6' },
    windows: { type: 'string', default: '100' },
    away: { type: 'string', default: '30' },
    revocations: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '6' },
    verbose: { type: 'boolean', default: false },
  },
});
const only = chooseSeveral('only', checks, values.only);
const atOnce = Number(values['at-once']);
const explain = (line: string) => {
  if (values.verbose) console.log(line);
};

const figures = await printFigures(
  checks.filter((each) => only.includes(each)),
  measure,
);
if (figures.some(({ passes }) => !passes)) process.exitCode = 1;

function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'scale':
      return measureScale({
        env: settings('small'),
        levels: numbers(values.workers),
        seconds: Number(values.seconds),
        explain,
      });
    case 'scheduler':
      return measureScheduler({
        levels: numbers(values['stand-ins']),
        costMs: Number(values.cost),
        rounds: Number(values.rounds),
        explain,
      });
    case 'window':
      return measureWindowCost(Number(values.windows), explain);
    case 'outage':
      return measureOutages({ env: settings('tiny'), awaySeconds: Number(values.away), explain });
    case 'revocation':
      return measureRevocation({
        env: settings('tiny'),
        apis: 3,
        rounds: Number(values.revocations),
        explain,
      });
    case 'restart':
      return measureRollingRestart({ env: settings('tiny'), atOnce, explain });
    case 'soak':
      return measureSoak({ env: settings('tiny'), minutes: Number(values.minutes), atOnce, explain });
  }
}

/** Where the subject is not recognition, the quickest model will do. */
function settings(model: (typeof modelSizes)[number]): Record<string, string> {
  const chosen = values.model ? choose('model', modelSizes, values.model) : model;
  return { SIANN_MODEL: chosen, SIANN_CACHE: loadConfig(process.env).cacheFolder };
}

function numbers(list: string): number[] {
  return list.split(',').map(Number);
}
