import type { Pcm } from '../../src/audio/pcm.ts';
import { type VoiceActivity, voiceFrameSamples } from '../../src/speech/windows/voice/voice-activity.ts';

/** A voice whose probabilities are written down beforehand, frame by frame. */
export function scriptedVoice(probabilities: number[]): VoiceActivity {
  return {
    open() {
      let samples = 0;
      const upTo = (end: number) => {
        const first = Math.floor(samples / voiceFrameSamples);
        samples = end;
        return Float32Array.from(probabilities.slice(first, Math.floor(samples / voiceFrameSamples)));
      };
      return {
        push: async (chunk) => upTo(samples + chunk.length),
        end: async () => upTo(Math.ceil(samples / voiceFrameSamples) * voiceFrameSamples),
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Noise that is nowhere the same, so that every sample is another number. */
export function numberedSamples(count: number): Pcm {
  const samples = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const mixed = Math.imul(i ^ (i >>> 15), 0x2c1b3c6d);
    samples[i] = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) / 2 ** 33;
  }
  return samples;
}

export async function* inChunks(samples: Pcm, sizes: number[]): AsyncGenerator<Pcm> {
  for (let at = 0, chunk = 0; at < samples.length; chunk++) {
    const size = sizes[chunk % sizes.length]!;
    yield samples.subarray(at, at + size);
    at += size;
  }
}
