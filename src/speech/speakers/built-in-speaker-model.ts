import { pcmSampleRate } from '../../audio/pcm.ts';
import { createLocalDispatcher, type LocalDispatcher } from '../../pool/local-dispatcher.ts';
import type { PoolLog } from '../../pool/process-pool.ts';
import { printStretches } from './print-stretches.ts';
import type { SpeakerModel } from './speaker-model.ts';
import {
  embeddingWidth,
  type VoicePrintJob,
  type VoicePrintResult,
  type VoicePrintSettings,
} from './voice-print-messages.ts';

export type BuiltInSpeakerModelOptions = {
  /** Called when somebody first asks for speakers; resolves to the path of the network. */
  findNetwork(): Promise<string>;
  threads: number;
  log?: PoolLog;
};

/** Two halves of one speaker have a likeness of 0.39 and more; two speakers have 0.36 and less, save for one pair in forty. */
const sameSpeakerLikeness = 0.37;

/** The network that comes with the project, in a process of its own that starts when somebody asks for speakers. */
export function createBuiltInSpeakerModel({
  findNetwork,
  threads,
  log,
}: BuiltInSpeakerModelOptions): SpeakerModel {
  type VoiceDispatcher = LocalDispatcher<VoicePrintJob, VoicePrintResult>;
  let started: Promise<VoiceDispatcher> | undefined;
  const start = async (): Promise<VoiceDispatcher> => {
    const settings: VoicePrintSettings = { graphPath: await findNetwork(), threads };
    const moduleUrl = new URL('../inference/voice-prints/voice-print-job.ts', import.meta.url);
    return createLocalDispatcher({ moduleUrl, settings, processes: 1, slots: 2, ...(log && { log }) });
  };

  return {
    sameSpeakerLikeness,
    async embed({ audio, speech }, options) {
      const stretches = printStretches(speech, audio.length / pcmSampleRate);
      if (stretches.length === 0) return [];
      started ??= start();
      const { embeddings } = await (await started).run({ audio, stretches }, options);
      return stretches.map((stretch, index) => ({
        ...stretch,
        embedding: embeddings.slice(index * embeddingWidth, (index + 1) * embeddingWidth),
      }));
    },
    async [Symbol.asyncDispose]() {
      await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
