import { buildDecoderGraph } from './graphs/decoder-graph.ts';
import { buildEncoderGraph, encoderParts } from './graphs/encoder-graph.ts';
import { buildVoiceActivityGraph } from './graphs/voice-activity-graph.ts';
import type { WhisperGraphOptions } from './graphs/whisper-graph-options.ts';
import { type GraphBuilder, OutsideWeights } from './onnx/graph-builder.ts';
import type { WhisperShape } from './whisper-shape.ts';

/**
 * Raised whenever `preparedGraphs` makes other bytes than before of the same weights: it is part of the name under which prepared models
 * are kept. test/model/prepared-graphs.test.ts fails when the bytes change and this does not.
 */
export const preparationVersion = 1;

export type PreparedGraph = {
  /** What is being made, and how much of the work is done before it. */
  step: string;
  fraction: number;
  /** The files by name; to make one can take seconds and hundreds of megabytes. */
  build(): Record<string, Iterable<Uint8Array>>;
};

export type PreparedGraphsOptions = Omit<WhisperGraphOptions, 'outside'> & {
  /** The published file of the voice detector. */
  voiceActivity: Uint8Array;
};

/** Everything that a prepared model consists of, to be built and written one graph after another. */
export function preparedGraphs({ voiceActivity, ...options }: PreparedGraphsOptions): PreparedGraph[] {
  const names = encoderNames(options.shape);
  const encoders = names.map((name, part) => ({
    step: 'Rewriting the encoder',
    fraction: 0.2 + (0.3 * part) / names.length,
    build: () => withWeights(name, (outside) => buildEncoderGraph({ ...options, part, outside })),
  }));
  return [
    ...encoders,
    {
      step: 'Rewriting the decoder',
      fraction: 0.5,
      build: () => withWeights('decoder', (outside) => buildDecoderGraph({ ...options, outside })),
    },
    {
      step: 'Rewriting the voice detector',
      fraction: 0.95,
      build: () => ({ 'voice-activity.onnx': buildVoiceActivityGraph(voiceActivity) }),
    },
  ];
}

export function encoderNames(shape: WhisperShape): string[] {
  return Array.from({ length: encoderParts(shape) }, (_, part) => `encoder-${part}`);
}

/** A graph and the file of its large weights beside it. */
function withWeights(
  name: string,
  build: (outside: OutsideWeights) => GraphBuilder,
): Record<string, Iterable<Uint8Array>> {
  const outside = new OutsideWeights(`${name}.weights`);
  return { [`${name}.onnx`]: build(outside).model(name), [outside.file]: outside.pieces };
}
