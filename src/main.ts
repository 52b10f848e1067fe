import { randomUUID } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import type { Config } from './config.ts';
import { createLocalDispatcher } from './inference/local-dispatcher.ts';
import { modelPackage } from './model/catalogue.ts';
import { prepareModel } from './model/prepare-model.ts';
import { findSpeakerNetwork } from './model/speaker-network.ts';
import { createWindowStreamRecogniser } from './realtime/window-stream-recogniser.ts';
import { createPromptTokeniser } from './speech/prompt-tokens.ts';
import type { CreateRecogniser } from './speech/recogniser.ts';
import { createOwnSpeakerModel } from './speech/speakers/own-speaker-model.ts';
import { createSherpaSpeakerModel } from './speech/speakers/sherpa-speaker-model.ts';
import { createSpeakerTracker } from './speech/speakers/speaker-tracker.ts';
import { transcribe } from './speech/transcribe.ts';
import { createVoiceActivity } from './speech/voice-activity.ts';
import type { WindowJob, WindowJobSettings, WindowResult } from './speech/window-messages.ts';

/** The one place where the recogniser is put together; it is taken apart in reverse. */
export const createRecogniser: CreateRecogniser = async ({ config, onPrepare, log }) => {
  const model = await prepareModel({
    model: config.model,
    adapter: config.adapter,
    precision: config.precision,
    cacheFolder: config.cacheFolder,
    ...(onPrepare && { onProgress: onPrepare }),
  });
  const { processes, threads } = sizePool(config);
  const speakers = { threads, ...(log && { log }) };
  const speakerModel = config.speakerModelFolder
    ? await createSherpaSpeakerModel({ ...speakers, folder: config.speakerModelFolder })
    : createOwnSpeakerModel({ ...speakers, findNetwork: findSpeakerNetwork });
  // Its processes load the model while the rest is put together.
  const dispatcher = createLocalDispatcher<WindowJobSettings, WindowJob, WindowResult>({
    moduleUrl: new URL('./speech/window-job.ts', import.meta.url),
    settings: { ...model, threads, slots: slotsPerProcess },
    processes,
    slots: slotsPerProcess,
    interactiveSlots: 1,
    realtimeSlots: 1,
    memoryLimitBytes: config.memoryLimitMegabytes * 1e6,
    ...(log && { log }),
  });
  const voice = await createVoiceActivity({ graphPath: model.voiceActivityPath }).catch(async (error) => {
    await speakerModel[Symbol.asyncDispose]();
    await dispatcher[Symbol.asyncDispose]();
    throw error;
  });
  const parts = {
    dispatcher,
    voice,
    speakerModel,
    tokenisePrompt: createPromptTokeniser(model.modelFolder),
    windowsAtOnce: processes * fileSlotsPerProcess,
    taiwanese: model.adapted,
  };

  return {
    transcribe: (bytes, options) => transcribe(bytes, options, parts),
    stream: createWindowStreamRecogniser(parts),
    trackSpeakers: () =>
      createSpeakerTracker({ model: speakerModel, run: { requestId: randomUUID(), priority: 'realtime' } }),
    ready: () => dispatcher.ready(),
    load: () => dispatcher.stats(),
    async [Symbol.asyncDispose]() {
      await speakerModel[Symbol.asyncDispose]();
      await voice[Symbol.asyncDispose]();
      await dispatcher[Symbol.asyncDispose]();
    },
  };
};

/** Windows decoded side by side in one process: more make better use of memory's speed, and take more of it. */
const fileSlotsPerProcess = 5;
/** One more is for what is being spoken. */
const slotsPerProcess = fileSlotsPerProcess + 1;
/** Two threads bring the answer to a short file sooner; more of them wait for one another. */
const threadsPerProcess = 2;

/** As many processes as the cores keep busy and half of the memory holds. */
function sizePool(config: Config): { processes: number; threads: number } {
  const cores = availableParallelism();
  const fitting = Math.floor(totalmem() / 2 / modelPackage(config.model).memoryBytes);
  const processes = config.processes || Math.max(1, Math.min(fitting, Math.floor(cores / threadsPerProcess)));
  const threads = config.threads || Math.max(1, Math.min(threadsPerProcess, Math.floor(cores / processes)));
  return { processes, threads };
}
