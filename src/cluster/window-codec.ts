import { deserialize, serialize } from 'node:v8';
import { pcmSampleRate } from '../audio/pcm.ts';
import type { WindowJob, WindowResult } from '../speech/window-messages.ts';
import { type JobCodec, plainCodec } from './job-codec.ts';
import { createSampleKernel, type SampleKernel } from './sample-kernel.ts';

/** What stands before the samples, and how long it is before that. */
type Head = Omit<WindowJob, 'audio'> & { fullScale: number };
const lengthBytes = 4;

const largest = 32_767;

/** Windows with their audio in 16 bits: half the bytes, and what rounding adds lies 98 dB below full scale. */
export const windowCodec = createWindowCodec();

function createWindowCodec(): JobCodec<WindowJob, WindowResult> {
  const kernel = createSampleKernel();
  return {
    ...plainCodec<WindowJob, WindowResult>(),

    packJob({ audio, ...rest }) {
      const { samples, fullScale } = toSamples(kernel, audio);
      const head = serialize({ ...rest, fullScale } satisfies Head);
      const length = Buffer.alloc(lengthBytes);
      length.writeUInt32LE(head.length);
      return Buffer.concat([length, head, samples]);
    },

    unpackJob(bytes) {
      const start = lengthBytes + bytes.readUInt32LE();
      const { fullScale, ...rest } = deserialize(bytes.subarray(lengthBytes, start)) as Head;
      return { ...rest, audio: fromSamples(kernel, bytes.subarray(start), fullScale) };
    },

    audioSeconds: ({ audio }) => audio.length / pcmSampleRate,
  };
}

/** The bytes are the kernel's own, until it is used again. */
function toSamples(kernel: SampleKernel, audio: Float32Array): { samples: Uint8Array; fullScale: number } {
  const count = multipleOf8(audio.length);
  const buffer = kernel.scratch(count * 6);
  new Float32Array(buffer, 0, count).set(audio);
  new Float32Array(buffer, 0, count).fill(0, audio.length);
  const peak = kernel.pack(0, count * 4, count, largest);
  // Decoders and resamplers may go a little over 1, which must not be cut off.
  if (peak > 1) kernel.pack(0, count * 4, count, largest / peak);
  return { samples: new Uint8Array(buffer, count * 4, audio.length * 2), fullScale: Math.max(1, peak) };
}

function fromSamples(kernel: SampleKernel, samples: Uint8Array, fullScale: number): Float32Array {
  const count = multipleOf8(samples.length / 2);
  const buffer = kernel.scratch(count * 6);
  new Uint8Array(buffer, count * 4).set(samples);
  kernel.unpack(count * 4, 0, count, fullScale / largest);
  return new Float32Array(buffer, 0, samples.length / 2).slice();
}

function multipleOf8(count: number): number {
  return Math.ceil(count / 8) * 8;
}
