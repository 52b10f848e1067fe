import type { CacheBytes } from './whisper-encoder.ts';

type Cache = Float32Array | CacheBytes;

/** The rows `first` … `first + count − 1` of a cache, as a view. */
export function rowsOf<T extends Cache>(cache: T, first: number, count: number, rowSize: number): T {
  return cache.subarray(first * rowSize, (first + count) * rowSize) as T;
}

export function moveRow(cache: Cache, from: number, to: number, rowSize: number): void {
  cache.copyWithin(to * rowSize, from * rowSize, (from + 1) * rowSize);
}
