/** Ways to feed the spoken fixtures to the decoder, and what it makes of them. */

import { type DecodeOptions, decodeAudio } from '../../src/audio/decode-audio.ts';
import { seededNumbers } from '../support/seeded-numbers.ts';

export async function* inChunks(bytes: Uint8Array, size = 16_384): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function* cutAt(bytes: Uint8Array, cuts: number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

export async function decodeAll(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  options: DecodeOptions = {},
): Promise<Float32Array> {
  const chunks: Float32Array[] = [];
  const bytes = source instanceof Uint8Array ? inChunks(source) : source;
  for await (const chunk of decodeAudio(bytes, options)) chunks.push(chunk);
  const samples = new Float32Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    samples.set(chunk, offset);
    offset += chunk.length;
  }
  return samples;
}

export function join(...parts: ArrayLike<number>[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
}

/** The lag within ±`reach` samples at which two signals agree best, and how well: 1 is the same up to loudness. */
export function correlate(
  a: Float32Array,
  b: Float32Array,
  reach = 160,
): { lag: number; correlation: number } {
  let best = { lag: 0, correlation: -1 };
  const end = Math.min(a.length, b.length) - reach;
  for (let lag = -reach; lag <= reach; lag++) {
    let [ab, aa, bb] = [0, 0, 0];
    for (let i = reach; i < end; i += 2) {
      ab += a[i + lag]! * b[i]!;
      aa += a[i + lag]! ** 2;
      bb += b[i]! ** 2;
    }
    const correlation = ab / Math.sqrt(aa * bb || 1);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

/** Bytes that look random and are the same on every run. */
export function noise(length: number, seed = 1): Uint8Array {
  const next = seededNumbers(seed);
  return Uint8Array.from({ length }, () => Math.floor(next() * 256));
}

export function indexOf(bytes: Uint8Array, pattern: string | number[], from = 0): number {
  return Buffer.from(bytes).indexOf(typeof pattern === 'string' ? pattern : Buffer.from(pattern), from);
}
