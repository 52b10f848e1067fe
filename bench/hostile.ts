// `npm run bench:hostile`: what one tenant notices while another attacks the service, and what attackers get for nothing.
import { chooseChecks } from '../evaluation/command-options.ts';
import { createExplain, type Figure, onModel } from './figures/figure.ts';
import { attacks } from './hostile/attacks.ts';
import { measureHangUps } from './hostile/hang-ups.ts';
import { measureAttacks } from './hostile/measure-attacks.ts';
import { measureInputs } from './hostile/measure-inputs.ts';
import { readCommand } from './options.ts';
import { runChecks } from './run-checks.ts';
import { servedModel, servedSettings } from './service/served-model.ts';

const checks = {
  attacks: ['attack'],
  'hang-ups': ['requests'],
  inputs: ['count', 'from'],
} as const;
type Check = keyof typeof checks;
const names = Object.keys(checks) as Check[];
const { command, values } = readCommand({
  script: 'bench:hostile',
  checks,
  defaults: {
    only: names.join(','),
    attack: undefined,
    requests: '500',
    count: '10000',
    from: '0',
    seed: '1',
    model: undefined,
    verbose: false,
  },
});
const explain = createExplain(values.verbose);
const env = servedSettings(values.model, 'tiny');
const seed = Number(values.seed);

await runChecks(command, chooseChecks(names, values.only), async (check) =>
  onModel(servedModel(values.model, 'tiny'), await measure(check)),
);

function measure(check: Check): Promise<Figure[]> {
  switch (check) {
    case 'attacks':
      return measureAttacks({ env, titles: chosenAttacks(), explain });
    case 'hang-ups':
      return measureHangUps({ env, count: Number(values.requests), seed, explain });
    case 'inputs':
      return measureInputs({ env, count: Number(values.count), from: Number(values.from), seed, explain });
  }
}

/** Those whose titles hold what was asked for. */
function chosenAttacks(): string[] {
  const titles = attacks.map(({ title }) => title);
  const { attack } = values;
  const chosen = attack ? titles.filter((title) => title.includes(attack)) : titles;
  if (chosen.length === 0) throw new Error(`--attack: ${attack} is none of ${titles.join('; ')}`);
  return chosen;
}
