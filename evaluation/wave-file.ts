import { writeFile } from 'node:fs/promises';
import { sampleRate } from './decoded-audio.ts';

/** Writes 16-bit mono samples as a wave file. */
export async function writeWave(file: string, samples: Float32Array, rate = sampleRate): Promise<void> {
  await writeFile(file, streamWave([samples], samples.length, rate));
}

/** The bytes of a 16-bit mono wave file, block by block: a long one is never in memory as a whole. */
export async function* streamWave(
  blocks: Iterable<Float32Array>,
  sampleCount: number,
  rate = sampleRate,
): AsyncGenerator<Uint8Array> {
  yield waveHeader(sampleCount, rate);
  for (const block of blocks) yield toBytes(block);
}

export function waveHeader(sampleCount: number, rate: number): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + sampleCount * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(sampleCount * 2, 40);
  return bytes;
}

function toBytes(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) => {
    const level = Math.round(sample * 32768);
    bytes.writeInt16LE(Math.max(-32768, Math.min(32767, level)), index * 2);
  });
  return bytes;
}
