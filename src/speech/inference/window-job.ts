import { readWhisperShape } from '../../model/whisper-shape.ts';
import type { JobRunner } from '../../pool/process/job-runner.ts';
import type { ArrivedWindow, WindowJobSettings, WindowResult } from '../windows/window-messages.ts';
import { createTokenRules } from './decoding/token-rules.ts';
import { readVocabulary } from './decoding/vocabulary.ts';
import { createLogMel } from './features/log-mel.ts';
import { createWhisperDecoder } from './network/whisper-decoder.ts';
import { createWhisperEncoder } from './network/whisper-encoder.ts';
import type { WhisperNetwork } from './network/whisper-network.ts';
import { WindowRunner } from './window-runner.ts';

/** Loaded in every inference process: recognises windows, several side by side. */
export async function createJobRunner(
  settings: WindowJobSettings,
): Promise<JobRunner<ArrivedWindow, WindowResult>> {
  const shape = await readWhisperShape(settings.modelFolder);
  const vocabulary = await readVocabulary(settings.modelFolder);
  const { integers, threads, slots: capacity } = settings;
  const network: WhisperNetwork = {
    vocabulary,
    vocabularySize: shape.vocabulary,
    adapted: settings.adapted,
    rules: createTokenRules(vocabulary),
    logMel: createLogMel(),
    encoder: await createWhisperEncoder({ graphPaths: settings.encoderPaths, shape, threads }),
    decoder: await createWhisperDecoder({
      graphPath: settings.decoderPath,
      shape,
      integers,
      threads,
      capacity,
    }),
  };
  return new WindowRunner(network);
}
