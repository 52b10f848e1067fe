import { pcmSampleRate } from '../../src/audio/pcm.ts';

/** The samples as the bytes of a 16-bit mono wave file. */
export function toWave(samples: Float32Array): Uint8Array {
  const bytes = Buffer.alloc(44 + 2 * samples.length);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + 2 * samples.length, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(pcmSampleRate, 24);
  bytes.writeUInt32LE(2 * pcmSampleRate, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(2 * samples.length, 40);
  for (const [i, sample] of samples.entries()) {
    bytes.writeInt16LE(Math.max(-32768, Math.min(32767, Math.round(sample * 32768))), 44 + 2 * i);
  }
  return bytes;
}
