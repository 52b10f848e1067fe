import { Tensor } from 'onnxruntime-node';
import type { IntegerKind } from '../model/integer-kind.ts';
import type { WhisperShape } from '../model/whisper-shape.ts';
import { openGraph } from './graph-session.ts';

export type CacheBytes = Int8Array | Uint8Array;

/** What one window's audio looks like to the decoder: 8-bit keys and values of every layer, with their channel scales. */
export type EncodedWindow = {
  frames: number;
  keys: CacheBytes[];
  values: CacheBytes[];
  scales: Float32Array;
};

export interface WhisperEncoder {
  /** `mel` is [80, 2 · frames]. */
  encode(mel: Float32Array, frames: number): Promise<EncodedWindow>;
}

export type WhisperGraphOptions = {
  graphPath: string;
  shape: WhisperShape;
  integers: IntegerKind;
  threads: number;
};

export async function createWhisperEncoder({
  graphPath,
  shape,
  threads,
}: WhisperGraphOptions): Promise<WhisperEncoder> {
  const graph = await openGraph(graphPath, { threads });
  const layers = Array.from({ length: shape.decoderLayers }, (_, layer) => layer);

  return {
    async encode(mel, frames) {
      const outputs = await graph.run({ mel: new Tensor('float32', mel, [1, 80, 2 * frames]) });
      return {
        frames,
        keys: layers.map((layer) => outputs[`cross_keys.${layer}`]!.data as CacheBytes),
        values: layers.map((layer) => outputs[`cross_values.${layer}`]!.data as CacheBytes),
        scales: outputs.cross_scales!.data as Float32Array,
      };
    },
  };
}
