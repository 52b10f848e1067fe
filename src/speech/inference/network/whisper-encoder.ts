import { Tensor } from 'onnxruntime-node';
import { type Graph, openGraph } from '../../../model/onnx/graph-session.ts';
import type { WhisperShape } from '../../../model/whisper-shape.ts';

export type CacheBytes = Int8Array | Uint8Array;

/** A window's audio as the decoder's cross-attention reads it: keys and values of every layer in 8 bits, with their channel scales. */
export type EncodedWindow = {
  frames: number;
  keys: CacheBytes[];
  values: CacheBytes[];
  scales: Float32Array;
};

export interface WhisperEncoder {
  /**
   * `features` is [80, 2 · frames], and `positions` says for each frame where it lies in time. Between two parts of the network
   * `mayContinue` is awaited: it may do more urgent work first, and when it resolves to false, the result is undefined.
   */
  encode(
    features: Float32Array,
    positions: readonly number[],
    mayContinue?: () => Promise<boolean>,
  ): Promise<EncodedWindow | undefined>;
}

export type WhisperEncoderOptions = {
  graphPaths: string[];
  shape: WhisperShape;
  threads: number;
};

export async function createWhisperEncoder({
  graphPaths,
  shape,
  threads,
}: WhisperEncoderOptions): Promise<WhisperEncoder> {
  const parts: Graph[] = [];
  // Windows come in many lengths, and an arena would keep the memory that each of them needed.
  const options = { threads, yieldCores: true, memoryArena: false };
  for (const path of graphPaths) parts.push(await openGraph(path, options));
  const [first, ...others] = parts;
  const layers = Array.from({ length: shape.decoderLayers }, (_, layer) => layer);

  return {
    async encode(features, positions, mayContinue) {
      let outputs = await first!.run({
        mel: new Tensor('float32', features, [1, 80, 2 * positions.length]),
        positions: new Tensor('int64', BigInt64Array.from(positions, BigInt), [positions.length]),
      });
      for (const part of others) {
        if (mayContinue && !(await mayContinue())) return undefined;
        outputs = await part.run({ states: outputs.next_states! });
      }
      return {
        frames: positions.length,
        keys: layers.map((layer) => outputs[`cross_keys.${layer}`]!.data as CacheBytes),
        values: layers.map((layer) => outputs[`cross_values.${layer}`]!.data as CacheBytes),
        scales: outputs.cross_scales!.data as Float32Array,
      };
    },
  };
}
