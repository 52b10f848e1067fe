import { deserialize, serialize } from 'node:v8';
import { pcmSampleRate } from '../audio/pcm.ts';
import type { WindowJob, WindowResult } from '../speech/window-messages.ts';
import { type JobCodec, plainCodec } from './job-codec.ts';

/** What stands before the samples, and how long it is before that. */
type Head = Omit<WindowJob, 'audio'> & { fullScale: number };
const lengthBytes = 4;

const largest = 32_767;

/** Windows with their audio in 16 bits: half the bytes, and what rounding adds lies 98 dB below full scale. */
export const windowCodec: JobCodec<WindowJob, WindowResult> = {
  ...plainCodec<WindowJob, WindowResult>(),

  packJob({ audio, ...rest }) {
    const { samples, fullScale } = toSamples(audio);
    const head = serialize({ ...rest, fullScale } satisfies Head);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(head.length);
    return Buffer.concat([length, head, new Uint8Array(samples.buffer)]);
  },

  unpackJob(bytes) {
    const start = lengthBytes + bytes.readUInt32LE();
    const { fullScale, ...rest } = deserialize(bytes.subarray(lengthBytes, start)) as Head;
    // A copy, since samples must begin at an even address.
    const samples = new Int16Array(new Uint8Array(bytes.subarray(start)).buffer);
    const audio = new Float32Array(samples.length);
    const factor = fullScale / largest;
    for (let index = 0; index < audio.length; index++) audio[index] = samples[index]! * factor;
    return { ...rest, audio };
  },

  audioSeconds: ({ audio }) => audio.length / pcmSampleRate,
};

/** Rounded by hand: Math.round takes several times as long. */
function toSamples(audio: Float32Array): { samples: Int16Array; fullScale: number } {
  const samples = new Int16Array(audio.length);
  for (let index = 0; index < audio.length; index++) {
    const scaled = audio[index]! * largest;
    if (scaled > largest || scaled < -largest) return toQuieterSamples(audio);
    samples[index] = scaled < 0 ? scaled - 0.5 : scaled + 0.5;
  }
  return { samples, fullScale: 1 };
}

/** Decoders and resamplers may go a little over 1, which must not be cut off. */
function toQuieterSamples(audio: Float32Array): { samples: Int16Array; fullScale: number } {
  const fullScale = audio.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 1);
  return {
    samples: Int16Array.from(audio, (sample) => Math.round((sample / fullScale) * largest)),
    fullScale,
  };
}
