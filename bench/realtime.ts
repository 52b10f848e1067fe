// `npm run bench:realtime`: live captions as listeners see them, and whether streams survive what clients do to them.

import { chooseChecks, readOptions } from '../evaluation/command-options.ts';
import { createExplain, type Figure, printFigures } from './figure.ts';
import { measureChaos } from './realtime/chaos.ts';
import { measureIdle } from './realtime/idle.ts';
import { measureStreamKills } from './realtime/kill.ts';
import { measureLatency } from './realtime/latency.ts';
import { servedSettings } from './service/served-model.ts';
import { readSpeechSets, speechFolder } from './speech-sets.ts';

const checks = ['latency', 'idle', 'chaos', 'kill'] as const;

const values = readOptions({
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
});
const explain = createExplain(values.verbose);

await printFigures(chooseChecks(checks, values.only), measure);

async function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'latency':
      return measureLatency({
        env: servedSettings(values.model, 'small'),
        sets: await readSpeechSets(speechFolder(process.env), values.sets.split(',')),
        count: Number(values.count),
        levels: values.streams.split(',').map(Number),
        endpointingMs: Number(values.endpointing),
        explain,
      });
    case 'idle':
      return measureIdle({
        env: servedSettings(values.model, 'tiny'),
        connections: Number(values.connections),
        minutes: Number(values.minutes),
        explain,
      });
    case 'chaos':
      return measureChaos({
        env: servedSettings(values.model, 'tiny'),
        sequences: Number(values.sequences),
        seed: Number(values.seed),
        explain,
      });
    case 'kill':
      return measureStreamKills({
        env: servedSettings(values.model, 'tiny'),
        kills: Number(values.kills),
        seed: Number(values.seed),
        explain,
      });
  }
}
