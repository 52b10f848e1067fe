import { pcmSampleRate } from '../../audio/pcm.ts';
import { createLocalDispatcher, type LocalDispatcher } from '../../pool/local-dispatcher.ts';
import type { PoolLog } from '../../pool/process-pool.ts';
import { printStretches } from './print-stretches.ts';
import type { SpeakerModel } from './speaker-model.ts';
import {
  directionWidth,
  type VoicePrintJob,
  type VoicePrintResult,
  type VoicePrintSettings,
} from './voice-print-messages.ts';

export type BuiltInSpeakerModelOptions = {
  /** Asked when it is first needed. */
  findNetwork(): Promise<string>;
  threads: number;
  log?: PoolLog;
};

/** Between what the halves of one speaker have in common (0.39 and more) and what two speakers have (0.36 and less, but for one pair in forty). */
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
      const places = printStretches(speech, audio.length / pcmSampleRate);
      if (places.length === 0) return [];
      started ??= start();
      const { directions } = await (await started).run({ audio, places }, options);
      return places.map((place, index) => ({
        ...place,
        direction: directions.slice(index * directionWidth, (index + 1) * directionWidth),
      }));
    },
    async [Symbol.asyncDispose]() {
      await (await started?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
