// `npm run bench:robustness`: whether times are right, nothing is lost or doubled, noise stays without text and memory stays flat.

import { choose, chooseChecks } from '../evaluation/command-options.ts';
import { loadConfig } from '../src/settings/config.ts';
import { createRecogniser } from '../src/wiring/create-recogniser.ts';
import { modelSizes } from './engines/engine.ts';
import { createExplain, type Figure, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { measureConcatenations } from './robustness/concatenations.ts';
import { measureMemory } from './robustness/memory.ts';
import { measureNoise } from './robustness/noise.ts';
import { measureSoundClips } from './robustness/sound-clips.ts';
import { measureTimes } from './robustness/times.ts';
import { runChecks } from './run-checks.ts';
import { readSpeechSets, speechFolder } from './speech-sets.ts';

/** Memory goes first: what the others leave in this process would count. */
const checks = {
  memory: ['hours', 'sets'],
  times: ['sentences', 'sets'],
  noise: ['minutes'],
  concatenations: ['recordings', 'seed'],
  clips: ['folder'],
} as const;
type Check = keyof typeof checks;
const names = Object.keys(checks) as Check[];
/** The clips are somebody else's, and have to be named. */
const usual = names.filter((name) => name !== 'clips');

const { command, values } = readCommand({
  script: 'bench:robustness',
  checks,
  defaults: {
    only: usual.join(','),
    model: 'small',
    sets: 'mandarin,english,taiwanese',
    sentences: '4',
    minutes: '10',
    recordings: '500',
    seed: '22',
    hours: '0.5',
    folder: undefined,
    verbose: false,
  },
});
const config = { ...loadConfig(process.env), model: choose('model', modelSizes, values.model) };
const sets = await readSpeechSets(speechFolder(process.env), values.sets.split(','));
const open = () => createRecogniser({ config });
const explain = createExplain(values.verbose);

await runChecks(command, chooseChecks(names, values.only), async (check) =>
  onModel(config.model, await measure(check)),
);

function measure(check: Check): Promise<Figure[]> {
  switch (check) {
    case 'memory':
      return measureMemory({ open, sets, hours: Number(values.hours), explain });
    case 'times':
      return measureTimes({ open, sets, sentences: Number(values.sentences), explain });
    case 'noise':
      return measureNoise({ open, minutes: Number(values.minutes), explain });
    case 'concatenations':
      return measureConcatenated();
    case 'clips':
      return measureSoundClips({ open, folder: values.folder ?? refuse(), explain });
  }
}

function refuse(): never {
  throw new Error('Name the folder of the clips: --folder ESC-50/audio');
}

async function measureConcatenated(): Promise<Figure[]> {
  const all = await readSpeechSets(speechFolder(process.env));
  const [recordings, seed] = [Number(values.recordings), Number(values.seed)];
  return measureConcatenations({ open, sets: all, recordings, seed, explain });
}
