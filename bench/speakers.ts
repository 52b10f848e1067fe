// `npm run bench:speakers`: who spoke when and what, against conversations of which that is known.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { choose, chooseChecks } from '../evaluation/command-options.ts';
import { prepareModel } from '../src/model/prepare-model.ts';
import { findSpeakerNetwork } from '../src/model/speaker-network.ts';
import { loadConfig } from '../src/settings/config.ts';
import { createBuiltInSpeakerModel } from '../src/speech/speakers/built-in-speaker-model.ts';
import { createSherpaSpeakerModel } from '../src/speech/speakers/sherpa-speaker-model.ts';
import { createVoiceActivity } from '../src/speech/windows/voice/voice-activity.ts';
import { createRecogniser } from '../src/wiring/create-recogniser.ts';
import { modelSizes } from './engines/engine.ts';
import { createExplain, type Figure, onModel } from './figures/figure.ts';
import { readCommand } from './options.ts';
import { runChecks } from './run-checks.ts';
import { readConversations } from './speakers/conversations.ts';
import type { SpeakerParts } from './speakers/found-turns.ts';
import { measureLong } from './speakers/long-check.ts';
import { measureOneSpeaker } from './speakers/one-speaker-check.ts';
import { measureTurns } from './speakers/turns-check.ts';
import { measureWords } from './speakers/words-check.ts';
import { speechFolder } from './speech-sets.ts';

const checks = {
  turns: [],
  one: [],
  words: [],
  long: ['hours'],
} as const;
type Check = keyof typeof checks;
const names = Object.keys(checks) as Check[];

const { command, values } = readCommand({
  script: 'bench:speakers',
  checks,
  defaults: {
    only: 'turns,one,words',
    model: 'small',
    conversations: undefined,
    hours: '2',
    verbose: false,
  },
});
const config = { ...loadConfig(process.env), model: choose('model', modelSizes, values.model) };
const wanted = values.conversations?.split(',');
const conversations = (await readConversations(join(speechFolder(process.env), 'conversations'))).filter(
  ({ name }) => wanted?.includes(name) ?? true,
);
const explain = createExplain(values.verbose);

await runChecks(command, chooseChecks(names, values.only), async (check) =>
  check === 'words' ? onModel(config.model, await measure(check)) : measure(check),
);

async function measure(check: Check): Promise<Figure[]> {
  if (check === 'words') {
    await using recogniser = await createRecogniser({ config });
    return await measureWords({ recogniser, conversations, explain });
  }
  const { voiceActivityPath } = await prepareModel(config);
  await using voice = await createVoiceActivity({ graphPath: voiceActivityPath });
  const threads = Math.min(2, availableParallelism());
  await using speakerModel = config.speakerModelFolder
    ? await createSherpaSpeakerModel({ folder: config.speakerModelFolder, threads })
    : createBuiltInSpeakerModel({ findNetwork: findSpeakerNetwork, threads });
  const parts: SpeakerParts = { voice, speakerModel };
  switch (check) {
    case 'turns':
      return await measureTurns(conversations, parts, explain);
    case 'one':
      return await measureOneSpeaker(conversations, parts, explain);
    case 'long':
      return await measureLong(conversations[0]!, Number(values.hours), parts, explain);
  }
}
