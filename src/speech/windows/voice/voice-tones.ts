import { createFourierTransform } from '../../../audio/fourier.ts';
import { type Pcm, pcmSampleRate } from '../../../audio/pcm.ts';

const transformSamples = 2048;
const firstBin = Math.round((300 * transformSamples) / pcmSampleRate);
const lastBin = Math.round((3400 * transformSamples) / pcmSampleRate);
/** In speech the valleys lie 10 to 40 dB below the mean, deepest in synthetic voices; between held tones, 45 to 110. */
const toneValleyDecibels = 45;
/** Below it a frame is digital silence, and says nothing. */
const leastPower = 1e-6;

/**
 * Whether a sound is music of tones rather than a voice: the voice's pitch never stands still and its breath is noise,
 * so its spectrum has no deep valleys in the band where speech lives; that of chords and melodies has.
 */
export function isMadeOfTones(audio: Pcm): boolean {
  const transform = createFourierTransform(transformSamples);
  const depths: number[] = [];
  for (let at = 0; at + transformSamples <= audio.length; at += transformSamples / 2) {
    const power = bandPower(audio.subarray(at, at + transformSamples), transform);
    const mean = power.reduce((sum, value) => sum + value, 0) / power.length;
    const valley = power.sort()[Math.floor(power.length / 5)]!;
    if (mean > leastPower) depths.push(10 * Math.log10(mean / (valley + 1e-12)));
  }
  const median = depths.sort((a, b) => a - b)[depths.length >> 1];
  return median !== undefined && median > toneValleyDecibels;
}

/** With Blackman's window, whose side lobes are far below the valleys in question. */
function bandPower(
  audio: Pcm,
  transform: (real: Float64Array, imaginary: Float64Array) => void,
): Float64Array {
  const imaginary = new Float64Array(transformSamples);
  const real = new Float64Array(transformSamples);
  for (let i = 0; i < transformSamples; i++) {
    const angle = (2 * Math.PI * i) / transformSamples;
    real[i] = audio[i]! * (0.42 - 0.5 * Math.cos(angle) + 0.08 * Math.cos(2 * angle));
  }
  transform(real, imaginary);
  return real.map((value, bin) => value ** 2 + imaginary[bin]! ** 2).slice(firstBin, lastBin);
}
