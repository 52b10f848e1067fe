// `npm run bench:robustness`: whether times are right, noise stays without text and memory stays flat.

import { choose, chooseChecks, readOptions } from '../evaluation/command-options.ts';
import { loadConfig } from '../src/settings/config.ts';
import { createRecogniser } from '../src/wiring/create-recogniser.ts';
import { modelSizes } from './engines/engine.ts';
import { createExplain, type Figure, printFigures } from './figure.ts';
import { measureMemory } from './robustness/memory.ts';
import { measureNoise } from './robustness/noise.ts';
import { measureTimes } from './robustness/times.ts';
import { readSpeechSets, speechFolder } from './speech-sets.ts';

/** Memory goes first: what the others leave in this process would count. */
const checks = ['memory', 'times', 'noise'] as const;

const values = readOptions({
  only: { type: 'string', default: checks.join(',') },
  model: { type: 'string', default: 'small' },
  sets: { type: 'string', default: 'mandarin,english,taiwanese' },
  sentences: { type: 'string', default: '4' },
  minutes: { type: 'string', default: '10' },
  hours: { type: 'string', default: '0.5' },
  verbose: { type: 'boolean', default: false },
});
const config = { ...loadConfig(process.env), model: choose('model', modelSizes, values.model) };
const sets = await readSpeechSets(speechFolder(process.env), values.sets.split(','));
const open = () => createRecogniser({ config });
const explain = createExplain(values.verbose);

await printFigures(chooseChecks(checks, values.only), measure);

function measure(check: (typeof checks)[number]): Promise<Figure[]> {
  switch (check) {
    case 'memory':
      return measureMemory({ open, sets, hours: Number(values.hours), explain });
    case 'times':
      return measureTimes({ open, sets, sentences: Number(values.sentences), explain });
    case 'noise':
      return measureNoise({ open, minutes: Number(values.minutes), explain });
  }
}
