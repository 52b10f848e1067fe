import type { Pcm } from '../../src/audio/pcm.ts';
import { type VoiceActivity, voiceFrameSamples } from '../../src/speech/voice-activity.ts';

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

/** Samples that tell their place in the recording. */
export function numberedSamples(count: number): Pcm {
  const samples = new Float32Array(count);
  for (let i = 0; i < count; i++) samples[i] = (i % 999_983) / 1e6;
  return samples;
}

export async function* inChunks(samples: Pcm, sizes: number[]): AsyncGenerator<Pcm> {
  for (let at = 0, turn = 0; at < samples.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield samples.subarray(at, at + size);
    at += size;
  }
}
