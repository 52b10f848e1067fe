// `npm run fuzz -- --count 5000 --seed 1`: mutated requests to a real service. A fault names the request; `--from` sends it again.
import { createExplain, none, onModel } from '../../bench/figures/figure.ts';
import { readCommand } from '../../bench/options.ts';
import { runChecks } from '../../bench/run-checks.ts';
import { noMoreMemory } from '../../bench/service/footprint-figures.ts';
import { servedModel, servedSettings } from '../../bench/service/served-model.ts';
import { fuzz } from './fuzz-run.ts';

const { command, values } = readCommand({
  script: 'fuzz',
  defaults: { count: '5000', seed: '1', from: '0', model: undefined, verbose: false },
});
/** What V8 lets lie before it collects it. */
const uncollectedBytes = 64e6;

await runChecks(command, ['fuzz'], async () => {
  const started = performance.now();
  const { statuses, faults, slowestMs, before, after } = await fuzz({
    count: Number(values.count),
    seed: Number(values.seed),
    from: Number(values.from),
    env: servedSettings(values.model, 'tiny'),
    explain: createExplain(values.verbose),
  });
  for (const fault of faults) console.log(fault);
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${counts.join(', ')}; ${seconds} s, the slowest ${Math.round(slowestMs / 100) / 10} s`);
  return onModel(servedModel(values.model, 'tiny'), [
    {
      id: 'faults',
      what: `${values.count} mutated requests: 5xx, hung, not as described, or something left behind`,
      ...none(faults.length),
      note: `${byClass(statuses)}; ${seconds} s`,
    },
    noMoreMemory('fuzz', 'mutated requests', before, after, uncollectedBytes),
  ]);
});

/** `1,019 × 2xx, 3,778 × 4xx, 203 × cut` */
function byClass(statuses: Record<string, number>): string {
  const classes = new Map<string, number>();
  for (const [status, count] of Object.entries(statuses)) {
    const name = /^\d/.test(status) ? `${status[0]}xx` : status;
    classes.set(name, (classes.get(name) ?? 0) + count);
  }
  return [...classes].map(([name, count]) => `${count.toLocaleString('en')} × ${name}`).join(', ');
}
