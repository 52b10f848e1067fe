import { deserialize, serialize } from 'node:v8';
import { packAudio } from '../../audio/samples/packed-audio.ts';
import type { PackedWindow, WindowJob, WindowResult } from '../../speech/windows/window-messages.ts';
import type { JobCodec } from './job-codec.ts';

/** A packed window is the length of the head, the head, and the samples. */
type Head = Omit<WindowJob, 'audio'> & { fullScale: number };
const lengthBytes = 4;

/** Windows with their audio in 16 bits. The audio stays packed until it is in the inference process. */
export const windowCodec: JobCodec<WindowJob, WindowResult, PackedWindow> = {
  packJob({ audio, ...rest }) {
    const { samples, fullScale } = packAudio(audio);
    const head = serialize({ ...rest, fullScale } satisfies Head);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(head.length);
    return Buffer.concat([length, head, samples]);
  },

  unpackJob(bytes) {
    const start = lengthBytes + bytes.readUInt32LE();
    const { fullScale, ...rest } = deserialize(bytes.subarray(lengthBytes, start)) as Head;
    return { ...rest, audio: { samples: bytes.subarray(start), fullScale } };
  },

  packResult: serialize,
  unpackResult: deserialize,
};
