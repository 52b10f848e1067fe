import { createSampleKernel } from './sample-kernel.ts';

/** Audio in 16 bits: half the bytes, with rounding errors 98 dB below full scale. */
export type PackedAudio = {
  samples: Uint8Array;
  /** The amplitude that the largest 16-bit number stands for. */
  fullScale: number;
};

const largest = 32_767;
const kernel = createSampleKernel();

/** The bytes are valid until the next call. */
export function packAudio(audio: Float32Array): PackedAudio {
  const count = multipleOf8(audio.length);
  const buffer = kernel.scratch(count * 6);
  new Float32Array(buffer, 0, count).set(audio);
  new Float32Array(buffer, 0, count).fill(0, audio.length);
  const peak = kernel.pack(0, count * 4, count, largest);
  // Decoders and resamplers may overshoot 1 a little, which must not be cut off.
  if (peak > 1) kernel.pack(0, count * 4, count, largest / peak);
  return { samples: new Uint8Array(buffer, count * 4, audio.length * 2), fullScale: Math.max(1, peak) };
}

/** The samples are valid until the next call. */
export function unpackAudio({ samples, fullScale }: PackedAudio): Float32Array {
  const count = multipleOf8(samples.length / 2);
  const buffer = kernel.scratch(count * 6);
  new Uint8Array(buffer, count * 4).set(samples);
  kernel.unpack(count * 4, 0, count, fullScale / largest);
  return new Float32Array(buffer, 0, samples.length / 2);
}

/** The samples as floats, whether they were packed or not; valid until the next call. */
export function unpackedAudio(audio: Float32Array | PackedAudio): Float32Array {
  return audio instanceof Float32Array ? audio : unpackAudio(audio);
}

function multipleOf8(count: number): number {
  return Math.ceil(count / 8) * 8;
}
