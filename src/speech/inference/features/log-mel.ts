import { createFourierTransform } from '../../../audio/fourier.ts';
import type { Pcm } from '../../../audio/pcm.ts';

/** Whisper's input: 80 mel bands every 10 ms, logarithmic (Radford et al. 2022, section 2.2). */
export const melBands = 80;
export const hopSamples = 160;
const frameSamples = 400;
const bins = frameSamples / 2 + 1;

export type LogMel = (audio: Pcm, frames: number) => Float32Array;

/** Features of `audio`, followed by silence up to `frames` frames, laid out [band, frame]. */
export function createLogMel(): LogMel {
  const transform = createFourierTransform(frameSamples);
  const filters = melFilters();
  const window = Float64Array.from(
    { length: frameSamples },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / frameSamples),
  );
  const real = new Float64Array(frameSamples);
  const imaginary = new Float64Array(frameSamples);
  const powers = [new Float64Array(bins), new Float64Array(bins)] as const;

  return (audio, frames) => {
    const mel = new Float32Array(melBands * frames).fill(-10);
    const padded = reflectStart(audio, frames * hopSamples);
    const spoken = Math.min(frames, Math.ceil((audio.length + frameSamples / 2) / hopSamples) + 1);
    // One complex transform serves two frames: one is its real part, one its imaginary part.
    for (let frame = 0; frame < spoken; frame += 2) {
      fill(real, padded, frame * hopSamples, window);
      fill(imaginary, padded, (frame + 1) * hopSamples, window);
      transform(real, imaginary);
      separatePowers(real, imaginary, powers);
      for (let of = 0; of < 2 && frame + of < frames; of++)
        addBands(mel, powers[of]!, filters, frames, frame + of);
    }
    return compress(mel);
  };
}

/** Centred frames need 200 samples before the first one: the reflection of the start, as the reference does it. */
function reflectStart(audio: Pcm, samples: number): Float32Array {
  const half = frameSamples / 2;
  const padded = new Float32Array(samples + frameSamples);
  padded.set(audio.subarray(0, samples), half);
  for (let i = 0; i < half; i++) {
    padded[half - 1 - i] = padded[half + 1 + i] ?? 0;
    padded[half + samples + i] = padded[half + samples - 2 - i] ?? 0;
  }
  return padded;
}

function fill(target: Float64Array, padded: Float32Array, start: number, window: Float64Array): void {
  for (let i = 0; i < frameSamples; i++) target[i] = (padded[start + i] ?? 0) * window[i]!;
}

function separatePowers(
  real: Float64Array,
  imaginary: Float64Array,
  powers: readonly [Float64Array, Float64Array],
): void {
  for (let k = 0; k < bins; k++) {
    const mirror = k === 0 ? 0 : frameSamples - k;
    const evenReal = real[k]! + real[mirror]!;
    const evenImaginary = imaginary[k]! - imaginary[mirror]!;
    const oddReal = imaginary[k]! + imaginary[mirror]!;
    const oddImaginary = real[mirror]! - real[k]!;
    powers[0][k] = (evenReal * evenReal + evenImaginary * evenImaginary) / 4;
    powers[1][k] = (oddReal * oddReal + oddImaginary * oddImaginary) / 4;
  }
}

type Filter = { first: number; weights: Float64Array };

function addBands(
  mel: Float32Array,
  power: Float64Array,
  filters: Filter[],
  frames: number,
  frame: number,
): void {
  for (let band = 0; band < melBands; band++) {
    const { first, weights } = filters[band]!;
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += weights[i]! * power[first + i]!;
    mel[band * frames + frame] = Math.log10(Math.max(sum, 1e-10));
  }
}

/** Everything more than 80 dB below the loudest point is raised to that level; the result lies in about −1…1. */
function compress(mel: Float32Array): Float32Array {
  let top = Number.NEGATIVE_INFINITY;
  for (const value of mel) if (value > top) top = value;
  const floor = top - 8;
  for (let i = 0; i < mel.length; i++) mel[i] = (Math.max(mel[i]!, floor) + 4) / 4;
  return mel;
}

/** Slaney's triangular filters, each of unit area, as librosa builds them: 80 bands over 0–8 kHz. */
function melFilters(): Filter[] {
  const edges = Array.from({ length: melBands + 2 }, (_, i) =>
    melToHertz((hertzToMel(8000) * i) / (melBands + 1)),
  );
  return Array.from({ length: melBands }, (_, band) => {
    const [low, centre, high] = [edges[band]!, edges[band + 1]!, edges[band + 2]!];
    const weights: number[] = [];
    let first = -1;
    for (let bin = 0; bin < bins; bin++) {
      const hertz = (bin * 16_000) / frameSamples;
      const weight =
        Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre)) * (2 / (high - low));
      if (weight <= 0) continue;
      if (first < 0) first = bin;
      weights.push(weight);
    }
    return { first: Math.max(first, 0), weights: Float64Array.from(weights) };
  });
}

const linearSlope = 200 / 3;
const logStep = Math.log(6.4) / 27;

function hertzToMel(hertz: number): number {
  return hertz < 1000 ? hertz / linearSlope : 15 + Math.log(hertz / 1000) / logStep;
}

function melToHertz(mel: number): number {
  return mel < 15 ? mel * linearSlope : 1000 * Math.exp(logStep * (mel - 15));
}
