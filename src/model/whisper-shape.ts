import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The dimensions of one Whisper network, read from the files that come with its weights. */
export type WhisperShape = {
  width: number;
  heads: number;
  encoderLayers: number;
  decoderLayers: number;
  vocabulary: number;
  /** Longest text, in tokens. */
  maxTokens: number;
  /** [layer, head] pairs whose cross-attention follows the speech in time. */
  alignmentHeads: [number, number][];
};

/** Frames that the encoder gives for 30 s, Whisper's full context. */
export const fullContextFrames = 1500;
export const framesPerSecond = 50;
export const headWidth = 64;

export async function readWhisperShape(modelFolder: string): Promise<WhisperShape> {
  const config = JSON.parse(await readFile(join(modelFolder, 'config.json'), 'utf8'));
  const generation = JSON.parse(await readFile(join(modelFolder, 'generation_config.json'), 'utf8'));
  return {
    width: config.d_model,
    heads: config.decoder_attention_heads,
    encoderLayers: config.encoder_layers,
    decoderLayers: config.decoder_layers,
    vocabulary: config.vocab_size,
    maxTokens: config.max_target_positions,
    alignmentHeads: generation.alignment_heads,
  };
}
