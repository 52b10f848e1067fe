import { type Explain, type Figure, none } from '../figures/figure.ts';
import { noMoreMemory } from '../service/footprint-figures.ts';
import { sendHostileInputs } from './inputs/send-hostile-inputs.ts';

export type InputOptions = {
  env: Record<string, string>;
  count: number;
  from: number;
  seed: number;
  explain: Explain;
};

/** What V8 lets lie before it collects it. */
const uncollectedBytes = 64e6;

/** Mutated requests and streams, one after another. A fault names the request; `--from` sends it again. */
export async function measureInputs({ env, count, from, seed, explain }: InputOptions): Promise<Figure[]> {
  const started = performance.now();
  const { statuses, faults, slowestMs, before, after } = await sendHostileInputs({
    env,
    count,
    from,
    seed,
    explain,
  });
  for (const fault of faults) console.log(fault);
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${counts.join(', ')}; ${seconds} s, the slowest ${Math.round(slowestMs / 100) / 10} s`);
  return [
    {
      id: 'inputs/faults',
      what: `${count.toLocaleString('en')} hostile inputs: 5xx, hung, a crash, a wrong charge, or something left open`,
      ...none(faults.length),
      note: `${byClass(statuses)}; ${seconds} s`,
    },
    noMoreMemory('inputs', 'hostile inputs', before, after, uncollectedBytes),
  ];
}

/** `1,019 × 2xx, 3,778 × 4xx, 203 × cut` */
function byClass(statuses: Record<string, number>): string {
  const classes = new Map<string, number>();
  for (const [status, count] of Object.entries(statuses)) {
    const name = /^\d/.test(status) ? `${status[0]}xx` : status;
    classes.set(name, (classes.get(name) ?? 0) + count);
  }
  return [...classes].map(([name, count]) => `${count.toLocaleString('en')} × ${name}`).join(', ');
}
