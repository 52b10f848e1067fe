// `npm run bench:realtime`: live captions as listeners see them, and whether streams survive what clients do to them.

import { chooseChecks } from '../evaluation/command-options.ts';
import { createExplain, type Figure, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { measureChaos } from './realtime/chaos.ts';
import { measureIdle } from './realtime/idle.ts';
import { measureStreamKills } from './realtime/kill.ts';
import { measureLatency } from './realtime/latency.ts';
import { runChecks } from './run-checks.ts';
import { servedModel, servedSettings } from './service/served-model.ts';
import { readSpeechSets, speechFolder } from './speech-sets.ts';

const checks = {
  latency: ['sets', 'count', 'streams', 'endpointing'],
  idle: ['connections', 'minutes'],
  chaos: ['sequences', 'seed'],
  kill: ['kills', 'seed'],
} as const;
type Check = keyof typeof checks;
const names = Object.keys(checks) as Check[];

const { command, values } = readCommand({
  script: 'bench:realtime',
  checks,
  selecting: ['streams'],
  defaults: {
    only: names.join(','),
    model: undefined,
    sets: 'mandarin,english,mandarin-english,taiwanese',
    count: '8',
    streams: '1,2,4',
    endpointing: '500',
    connections: '50',
    minutes: '10',
    sequences: '1000',
    kills: '5',
    seed: '1',
    verbose: false,
  },
});
const explain = createExplain(values.verbose);

await runChecks(command, chooseChecks(names, values.only), async (check) =>
  onModel(servedModel(values.model, usualModel(check)), await measure(check)),
);

/** Where the subject is not recognition, the quickest will do. */
function usualModel(check: Check) {
  return check === 'latency' ? 'small' : 'tiny';
}

async function measure(check: Check): Promise<Figure[]> {
  switch (check) {
    case 'latency':
      return measureLatency({
        env: servedSettings(values.model, usualModel(check)),
        sets: await readSpeechSets(speechFolder(process.env), values.sets.split(',')),
        count: Number(values.count),
        levels: values.streams.split(',').map(Number),
        endpointingMs: Number(values.endpointing),
        explain,
      });
    case 'idle':
      return measureIdle({
        env: servedSettings(values.model, usualModel(check)),
        connections: Number(values.connections),
        minutes: Number(values.minutes),
        explain,
      });
    case 'chaos':
      return measureChaos({
        env: servedSettings(values.model, usualModel(check)),
        sequences: Number(values.sequences),
        seed: Number(values.seed),
        explain,
      });
    case 'kill':
      return measureStreamKills({
        env: servedSettings(values.model, usualModel(check)),
        kills: Number(values.kills),
        seed: Number(values.seed),
        explain,
      });
  }
}
