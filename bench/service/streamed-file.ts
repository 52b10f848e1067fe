import { readFile } from 'node:fs/promises';

/** A file that is made while it is sent: a whole one would take memory that is not the service's. */
export type StreamedFile = { bytes: number; pieces(): AsyncGenerator<Uint8Array> };

export type SilentWaveOptions = {
  rate?: number;
  channels?: number;
  bits?: 8 | 16;
  /** How long the sound is, or how large the file: one of them. */
  seconds?: number;
  bytes?: number;
  /** Bytes after the end of the file that the header tells of. */
  trailing?: number;
  /** As a recorder writes it that does not know yet when it will end. */
  lengthUnknown?: boolean;
};

const headerBytes = 44;
const pieceBytes = 64 * 1024;

export function silentWave(options: SilentWaveOptions): StreamedFile {
  const { rate = 16_000, channels = 1, bits = 16, trailing = 0, lengthUnknown = false } = options;
  const frameBytes = (channels * bits) / 8;
  const dataBytes =
    options.bytes === undefined ? (options.seconds ?? 1) * rate * frameBytes : options.bytes - headerBytes;
  const silence = Buffer.alloc(pieceBytes, bits === 8 ? 128 : 0);
  return {
    bytes: headerBytes + dataBytes + trailing,
    async *pieces() {
      yield header({ rate, channels, bits, dataBytes: lengthUnknown ? 0xffff_ffff : dataBytes });
      for (let left = dataBytes + trailing; left > 0; left -= pieceBytes) yield silence.subarray(0, left);
    },
  };
}

function header(format: { rate: number; channels: number; bits: number; dataBytes: number }): Buffer {
  const { rate, channels, bits, dataBytes } = format;
  const bytes = Buffer.alloc(headerBytes);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(Math.min(0xffff_ffff, 36 + dataBytes), 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(channels, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE((rate * channels * bits) / 8, 28);
  bytes.writeUInt16LE((channels * bits) / 8, 32);
  bytes.writeUInt16LE(bits, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(dataBytes, 40);
  return bytes;
}

const recording = new URL('../../test/fixtures/audio/speech-22k-vbr.mp3', import.meta.url);
const mp3Rate = 22_050;
const samplesPerFrame = 576;

/** An mp3 whose first frame says that it is so long, and whose frames go on for so many bytes. */
export async function mp3Saying(seconds: number, bytes: number): Promise<StreamedFile> {
  const file = await readFile(recording);
  const name = Math.max(file.indexOf('Xing'), file.indexOf('Info'));
  if (name < 0) throw new Error('The recording does not say how long it is.');
  file.writeUInt32BE(Math.ceil((seconds * mp3Rate) / samplesPerFrame), name + 8);
  return {
    bytes,
    async *pieces() {
      for (let left = bytes; left > 0; left -= file.length) yield file.subarray(0, left);
    },
  };
}
