import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import { createLocalDispatcher } from './inference/local-dispatcher.ts';
import { prepareModel } from './model/prepare-model.ts';
import { createPromptTokeniser } from './speech/prompt-tokens.ts';
import type { CreateRecogniser } from './speech/recogniser.ts';
import { transcribe } from './speech/transcribe.ts';
import { createVoiceActivity } from './speech/voice-activity.ts';
import type { WindowJob, WindowJobSettings, WindowResult } from './speech/window-messages.ts';

/** The one place where the recogniser is put together; it is taken apart in reverse. */
export const createRecogniser: CreateRecogniser = async ({ config, onPrepare }) => {
  const model = await prepareModel({
    model: config.model,
    cacheFolder: config.cacheFolder,
    ...(onPrepare && { onProgress: onPrepare }),
  });
  const { processes, threads, slots } = sizePool(config);
  const dispatcher = createLocalDispatcher<WindowJobSettings, WindowJob, WindowResult>({
    moduleUrl: new URL('./speech/window-job.ts', import.meta.url),
    settings: { ...model, threads, slots },
    processes,
    slots,
    interactiveSlots: slots > 1 ? 1 : 0,
    memoryLimitBytes: config.memoryLimitMegabytes * 1e6,
  });
  const voice = await createVoiceActivity({ graphPath: model.voiceActivityPath });
  const parts = {
    dispatcher,
    voice,
    tokenisePrompt: createPromptTokeniser(model.modelFolder),
    windowsAtOnce: processes * slots + 1,
  };

  return {
    transcribe: (bytes, options) => transcribe(bytes, options, parts),
    async [Symbol.asyncDispose]() {
      await voice[Symbol.asyncDispose]();
      await dispatcher[Symbol.asyncDispose]();
    },
  };
};

/** Windows decoded side by side in one process: more make better use of memory's speed, and take more of it. */
const slotsPerProcess = 5;

function sizePool(config: Config): { processes: number; threads: number; slots: number } {
  const cores = availableParallelism();
  const processes = config.processes || 1;
  const threads = config.threads || Math.max(1, Math.floor(cores / processes));
  return { processes, threads, slots: slotsPerProcess };
}
