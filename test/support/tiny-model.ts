/** The smallest model, prepared once for all tests, and its network opened in this process. */
import { fileURLToPath } from 'node:url';
import { fixture } from '../../evaluation/spoken-files.ts';
import { type PreparedModel, prepareModel } from '../../src/model/prepare-model.ts';
import { readWhisperShape, type WhisperShape } from '../../src/model/whisper-shape.ts';
import { readVocabulary, type Vocabulary } from '../../src/speech/inference/decoding/vocabulary.ts';
import { fullContext } from '../../src/speech/inference/features/context-frames.ts';
import { createLogMel } from '../../src/speech/inference/features/log-mel.ts';
import {
  createWhisperDecoder,
  type WhisperDecoder,
} from '../../src/speech/inference/network/whisper-decoder.ts';
import {
  createWhisperEncoder,
  type EncodedWindow,
  type WhisperEncoder,
} from '../../src/speech/inference/network/whisper-encoder.ts';
import { decodeAll } from '../audio/fixtures.ts';

/** Ignored by git; a new version of the preparation makes a new folder in it. */
export const testModels = fileURLToPath(new URL('../../.cache/test-models', import.meta.url));

export type TinyNetwork = {
  shape: WhisperShape;
  vocabulary: Vocabulary;
  encoder: WhisperEncoder;
  decoder: WhisperDecoder;
};

export function prepareTiny(): Promise<PreparedModel> {
  return prepareModel({ model: 'tiny', cacheFolder: testModels });
}

export async function openTiny(
  capacity: number,
  graphs: Pick<PreparedModel, 'encoderPaths' | 'decoderPath' | 'integers'> | undefined = undefined,
): Promise<TinyNetwork> {
  const prepared = await prepareTiny();
  const { encoderPaths, decoderPath, integers } = graphs ?? prepared;
  const shape = await readWhisperShape(prepared.modelFolder);
  return {
    shape,
    vocabulary: await readVocabulary(prepared.modelFolder),
    encoder: await createWhisperEncoder({ graphPaths: encoderPaths, shape, threads: 1 }),
    decoder: await createWhisperDecoder({ graphPath: decoderPath, shape, integers, threads: 1, capacity }),
  };
}

/** A recording as the decoder sees it. Fewer frames than the full 1500 make a quicker test. */
export async function encodeFixture(
  { encoder }: Pick<TinyNetwork, 'encoder'>,
  name: string,
  frames: number,
): Promise<EncodedWindow> {
  const mel = createLogMel()(await decodeAll(fixture(name)), 2 * frames);
  return (await encoder.encode(mel, fullContext.slice(0, frames)))!;
}

/** The likeliest token of a row of log-probabilities. */
export function likeliest(row: Float32Array): number {
  let best = 0;
  for (const [token, value] of row.entries()) if (value > row[best]!) best = token;
  return best;
}

/** What is decoded before the text, without timestamps. */
export function opening({ vocabulary }: Pick<TinyNetwork, 'vocabulary'>, language: 'zh' | 'en'): number[] {
  const { startOfTranscript, languages, transcribe, noTimestamps } = vocabulary;
  return [startOfTranscript, languages[language], transcribe, noTimestamps];
}
