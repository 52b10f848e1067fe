import { createLocalDispatcher } from '../../pool/local-dispatcher.ts';
import type { PoolLog } from '../../pool/process-pool.ts';
import type { SherpaSettings } from './sherpa-files.ts';
import { findSherpaFiles } from './sherpa-files.ts';
import type { SpeakerModel, SpeakerWindow, VoicePrint } from './speaker-model.ts';

export type SherpaSpeakerModelOptions = { folder: string; threads: number; log?: PoolLog };

/** What sherpa-onnx itself takes for the same voice. */
const sameSpeakerLikeness = 0.5;

/** A segmentation and an embedding model that the operator brings, run by sherpa-onnx in a process of its own. */
export async function createSherpaSpeakerModel({
  folder,
  threads,
  log,
}: SherpaSpeakerModelOptions): Promise<SpeakerModel> {
  const dispatcher = createLocalDispatcher<SherpaSettings, SpeakerWindow, VoicePrint[]>({
    moduleUrl: new URL('../inference/voice-prints/sherpa-job.ts', import.meta.url),
    settings: { files: await findSherpaFiles(folder), threads },
    processes: 1,
    slots: 1,
    ...(log && { log }),
  });
  return {
    sameSpeakerLikeness,
    embed: ({ audio, speech }, options) => dispatcher.run({ audio, speech }, options),
    [Symbol.asyncDispose]: () => dispatcher[Symbol.asyncDispose](),
  };
}
