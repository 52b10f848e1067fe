// `npm run bench:cluster`: what several machines gain, what the way between them costs, and whether they stay up.

import { chooseChecks } from '../evaluation/command-options.ts';
import { measureOutages } from './cluster/outage.ts';
import { measureRevocation } from './cluster/revocation.ts';
import { measureRollingRestart } from './cluster/rolling-restart.ts';
import { measureScale } from './cluster/scale.ts';
import { measureScheduler } from './cluster/scheduler.ts';
import { measureSoak } from './cluster/soak.ts';
import { measureWindowCost } from './cluster/window-cost.ts';
import { createExplain, type Figure, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { runChecks } from './run-checks.ts';
import { servedModel, servedSettings } from './service/served-model.ts';

const checks = {
  scale: ['workers', 'seconds'],
  scheduler: ['stand-ins', 'cost', 'rounds'],
  window: ['windows'],
  outage: ['away'],
  revocation: ['revocations'],
  restart: ['at-once'],
  soak: ['minutes', 'at-once'],
} as const;
type Check = keyof typeof checks;
const names = Object.keys(checks) as Check[];

const { command, values } = readCommand({
  script: 'bench:cluster',
  checks,
  selecting: ['workers', 'stand-ins'],
  defaults: {
    only: names.join(','),
    model: undefined,
    workers: '1,2,4',
    seconds: '1800',
    'stand-ins': '1,2,4,8,16,32,64',
    cost: '2600',
    rounds: '6',
    windows: '100',
    away: '30',
    revocations: '5',
    minutes: '20',
    'at-once': '6',
    verbose: false,
  },
});
const atOnce = Number(values['at-once']);
const explain = createExplain(values.verbose);

await runChecks(command, chooseChecks(names, values.only), async (check) => {
  const figures = await measure(check);
  // Stand-ins take the place of a model.
  if (check === 'scheduler' || check === 'window') return figures;
  return onModel(servedModel(values.model, usualModel(check)), figures);
});

/** Where the subject is not recognition, the quickest will do. */
function usualModel(check: Check) {
  return check === 'scale' ? 'small' : 'tiny';
}

function measure(check: Check): Promise<Figure[]> {
  switch (check) {
    case 'scale':
      return measureScale({
        env: servedSettings(values.model, usualModel(check)),
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
        env: servedSettings(values.model, usualModel(check)),
        awaySeconds: Number(values.away),
        explain,
      });
    case 'revocation':
      return measureRevocation({
        env: servedSettings(values.model, usualModel(check)),
        apis: 3,
        rounds: Number(values.revocations),
        explain,
      });
    case 'restart':
      return measureRollingRestart({ env: servedSettings(values.model, usualModel(check)), atOnce, explain });
    case 'soak':
      return measureSoak({
        env: servedSettings(values.model, usualModel(check)),
        minutes: Number(values.minutes),
        atOnce,
        explain,
      });
  }
}

function numbers(list: string): number[] {
  return list.split(',').map(Number);
}
