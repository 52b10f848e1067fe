// `npm run bench:realtime`: live captions as listeners see them, and whether streams survive what clients do to them.
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.ts';
import { modelSizes } from './engines/engine.ts';
import { type Figure, printFigures } from './figure.ts';
import { choose, chooseSeveral } from './options.ts';
import { measureChaos } from './realtime/chaos.ts';
import { measureIdle } from './realtime/idle.ts';
import { measureStreamKills } from './realtime/kill.ts';
import { measureLatency } from './realtime/latency.ts';
import { readSpeechSets, speechFolder } from './speech-sets.ts';

const checks = ['latency', 'idle', 'chaos', 'kill'] as const;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: checks.join(',') },
    model: { type: 'string' },
    sets: { type: 'string', default: 'mandarin,english,mandarin-english,taiwanese' },
    count: { type: 'string', default: '8' },
    streams: { type: 'string', default: '1,2,4' },
    endpointing: { type: 'string', default: '500' },
    connections: { type: 'string', default: '50' },
    minutes: { type: 'string', default: '10' },
    sequences: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const only = chooseSeveral('only', checks, values.only);
const config = loadConfig(process.env);
const explain = (line: string) => {
  if (values.verbose) console.log(line);
};

await printFigures(
  checks.filter((each) => only.includes(each)),
  measure,
);

async function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'latency':
      return measureLatency({
        env: settings('small'),
        sets: await readSpeechSets(speechFolder(process.env), values.sets.split(',')),
        count: Number(values.count),
        levels: values.streams.split(',').map(Number),
        endpointingMs: Number(values.endpointing),
        explain,
      });
    case 'idle':
      return measureIdle({
        env: settings('tiny'),
        connections: Number(values.connections),
        minutes: Number(values.minutes),
        explain,
      });
    case 'chaos':
      return measureChaos({
        env: settings('tiny'),
        sequences: Number(values.sequences),
        seed: Number(values.seed),
        explain,
      });
    case 'kill':
      return measureStreamKills({
        env: settings('tiny'),
        kills: Number(values.kills),
        seed: Number(values.seed),
        explain,
      });
  }
}

/** Where the subject is the service, the quickest model will do. */
function settings(model: (typeof modelSizes)[number]): Record<string, string> {
  const chosen = values.model ? choose('model', modelSizes, values.model) : model;
  return { SIANN_MODEL: chosen, SIANN_CACHE: config.cacheFolder };
}
