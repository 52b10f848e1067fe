import { type Pcm, pcmSampleRate } from '../../src/audio/pcm.ts';

/** Sines over noise, the same on every machine: what `log-mel-reference.json` was made from. */
export function referenceSignal(seconds: number): Pcm {
  let state = 42;
  return Float32Array.from({ length: Math.round(seconds * pcmSampleRate) }, (_, i) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const noise = state / 2 ** 32 - 0.5;
    const tones = [220, 1000, 3300].map((hertz) => Math.sin((2 * Math.PI * hertz * i) / pcmSampleRate));
    return 0.3 * tones[0]! + 0.1 * tones[1]! + 0.03 * tones[2]! + 0.02 * noise;
  });
}
