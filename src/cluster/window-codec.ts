import { deserialize, serialize } from 'node:v8';
import { pcmSampleRate } from '../audio/pcm.ts';
import type { WindowJob, WindowResult } from '../speech/window-messages.ts';
import { type JobCodec, plainCodec } from './job-codec.ts';

type PackedWindow = Omit<WindowJob, 'audio'> & { samples: Int16Array; fullScale: number };

const largest = 32_767;

/** Windows with their audio in 16 bits: half the bytes, and what rounding adds lies 98 dB below full scale. */
export const windowCodec: JobCodec<WindowJob, WindowResult> = {
  ...plainCodec<WindowJob, WindowResult>(),

  packJob({ audio, ...rest }) {
    const fullScale = fullScaleOf(audio);
    const samples = new Int16Array(audio.length);
    const factor = largest / fullScale;
    for (let index = 0; index < audio.length; index++) samples[index] = Math.round(audio[index]! * factor);
    return serialize({ ...rest, samples, fullScale } satisfies PackedWindow);
  },

  unpackJob(bytes) {
    const { samples, fullScale, ...rest } = deserialize(bytes) as PackedWindow;
    const factor = fullScale / largest;
    const audio = new Float32Array(samples.length);
    for (let index = 0; index < audio.length; index++) audio[index] = samples[index]! * factor;
    return { ...rest, audio };
  },

  audioSeconds: ({ audio }) => audio.length / pcmSampleRate,
};

/** Decoders and resamplers may go a little over 1, which must not be cut off. */
function fullScaleOf(audio: Float32Array): number {
  let peak = 1;
  for (let index = 0; index < audio.length; index++) peak = Math.max(peak, Math.abs(audio[index]!));
  return peak;
}
