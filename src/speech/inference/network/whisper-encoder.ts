import { Tensor } from 'onnxruntime-node';
import { type Graph, openGraph } from '../../../model/onnx/graph-session.ts';
import type { WhisperShape } from '../../../model/whisper-shape.ts';

export type CacheBytes = Int8Array | Uint8Array;

/** What one window's audio looks like to the decoder: 8-bit keys and values of every layer, with their channel scales. */
export type EncodedWindow = {
  frames: number;
  keys: CacheBytes[];
  values: CacheBytes[];
  scales: Float32Array;
};

export interface WhisperEncoder {
  /**
   * `mel` is [80, 2 · frames], and `heard` says for each frame where it lies in time. Between the parts of the work `goOn` is
   * asked, which may take its time over something more urgent; when it says no, nothing comes back.
   */
  encode(
    mel: Float32Array,
    heard: readonly number[],
    goOn?: () => Promise<boolean>,
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
  // Windows come in many lengths, and an arena keeps what each of them needed.
  const options = { threads, yieldCores: true, memoryArena: false };
  for (const path of graphPaths) parts.push(await openGraph(path, options));
  const [first, ...others] = parts;
  const layers = Array.from({ length: shape.decoderLayers }, (_, layer) => layer);

  return {
    async encode(mel, heard, goOn) {
      let outputs = await first!.run({
        mel: new Tensor('float32', mel, [1, 80, 2 * heard.length]),
        heard: new Tensor('int64', BigInt64Array.from(heard, BigInt), [heard.length]),
      });
      for (const part of others) {
        if (goOn && !(await goOn())) return undefined;
        outputs = await part.run({ states: outputs.next_states! });
      }
      return {
        frames: heard.length,
        keys: layers.map((layer) => outputs[`cross_keys.${layer}`]!.data as CacheBytes),
        values: layers.map((layer) => outputs[`cross_values.${layer}`]!.data as CacheBytes),
        scales: outputs.cross_scales!.data as Float32Array,
      };
    },
  };
}
