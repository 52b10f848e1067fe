import { clipSamples, joinSamples } from '../audio-block.ts';
import type { Pcm } from '../pcm.ts';
import { downmix } from '../resample/downmix.ts';
import { createResampler, type Resampler } from '../resample/resampler.ts';
import { createFlacFrames } from './flac-frames.ts';

/** A FLAC stream that comes in pieces: samples as soon as they are known. */
export type FlacPcm = {
  /** The samples that follow from the bytes so far. Rejects with `BadAudio` when the bytes are not FLAC. One call at a time. */
  push(bytes: Uint8Array): Promise<Pcm>;
  /** The samples that are left after the last bytes. */
  end(): Promise<Pcm>;
  free(): void;
};

/** The rate is that of the FLAC header. */
export function createFlacPcm(): FlacPcm {
  const frames = createFlacFrames();
  let resampler: Resampler | undefined;
  const resample = (channels: Float32Array[], sampleRate: number) => {
    resampler ??= createResampler(sampleRate);
    return clipSamples(resampler.push(downmix(channels)));
  };
  return {
    push: (bytes) => frames.push(bytes, resample),
    async end() {
      const last = await frames.end(resample);
      return joinSamples([last, clipSamples(resampler?.flush() ?? new Float32Array(0))]);
    },
    free: () => frames.free(),
  };
}
