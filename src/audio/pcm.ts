/** Mono samples in −1…1 at `pcmSampleRate`, the one form in which audio travels through the product. */
export type Pcm = Float32Array;

export const pcmSampleRate = 16_000;
