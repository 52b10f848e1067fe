// `npm run bench:cluster`: what several machines gain, what the way between them costs, and whether they stay up.

import { chooseChecks, readOptions } from '../evaluation/command-options.ts';
import { measureOutages } from './cluster/outage.ts';
import { measureRevocation } from './cluster/revocation.ts';
import { measureRollingRestart } from './cluster/rolling-restart.ts';
import { measureScale } from './cluster/scale.ts';
import { measureScheduler } from './cluster/scheduler.ts';
import { measureSoak } from './cluster/soak.ts';
import { measureWindowCost } from './cluster/window-cost.ts';
import { createExplain, type Figure, printFigures } from './figure.ts';
import { servedSettings } from './service/served-model.ts';

const checks = ['scale', 'scheduler', 'window', 'outage', 'revocation', 'restart', 'soak'] as const;

const values = readOptions({
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
});
const atOnce = Number(values['at-once']);
const explain = createExplain(values.verbose);

await printFigures(chooseChecks(checks, values.only), measure);

function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'scale':
      return measureScale({
        env: servedSettings(values.model, 'small'),
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
      return measureOutages({
        env: servedSettings(values.model, 'tiny'),
        awaySeconds: Number(values.away),
        explain,
      });
    case 'revocation':
      return measureRevocation({
        env: servedSettings(values.model, 'tiny'),
        apis: 3,
        rounds: Number(values.revocations),
        explain,
      });
    case 'restart':
      return measureRollingRestart({ env: servedSettings(values.model, 'tiny'), atOnce, explain });
    case 'soak':
      return measureSoak({
        env: servedSettings(values.model, 'tiny'),
        minutes: Number(values.minutes),
        atOnce,
        explain,
      });
  }
}

function numbers(list: string): number[] {
  return list.split(',').map(Number);
}
