import type { JobRunner } from '../inference/job-runner.ts';
import { createWhisperDecoder } from '../inference/whisper-decoder.ts';
import { createWhisperEncoder } from '../inference/whisper-encoder.ts';
import { readWhisperShape } from '../model/whisper-shape.ts';
import { createLogMel } from './log-mel.ts';
import { createTokenRules } from './token-rules.ts';
import { readVocabulary } from './vocabulary.ts';
import type { ArrivedWindow, WindowJobSettings, WindowResult } from './window-messages.ts';
import { type Network, WindowRunner } from './window-runner.ts';

/** Loaded in every inference process: recognises windows, several side by side. */
export async function createJobRunner(
  settings: WindowJobSettings,
): Promise<JobRunner<ArrivedWindow, WindowResult>> {
  const shape = await readWhisperShape(settings.modelFolder);
  const vocabulary = await readVocabulary(settings.modelFolder);
  const { integers, threads, slots: capacity } = settings;
  const network: Network = {
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
