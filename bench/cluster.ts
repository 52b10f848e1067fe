// `npm run bench:cluster`: what several machines gain, what the way between them costs, and whether they stay up.
import { parseArgs } from 'node:util';
import { measureScheduler } from './cluster/scheduler.ts';
import { measureWindowCost } from './cluster/window-cost.ts';
import { type Figure, printFigures } from './figure.ts';
import { chooseSeveral } from './options.ts';

const checks = ['scheduler', 'window'] as const;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: checks.join(',') },
    'stand-ins': { type: 'string', default: '1,2,4,8,16,32,64' },
    cost: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '6' },
    windows: { type: 'string', default: '100' },
    verbose: { type: 'boolean', default: false },
  },
});
const only = chooseSeveral('only', checks, values.only);
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
    case 'scheduler':
      return measureScheduler({
        levels: values['stand-ins'].split(',').map(Number),
        costMs: Number(values.cost),
        rounds: Number(values.rounds),
        explain,
      });
    case 'window':
      return measureWindowCost(Number(values.windows), explain);
  }
}
