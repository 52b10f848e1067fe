import { Tensor } from 'onnxruntime-node';
import type { IntegerKind } from '../../../model/integer-kind.ts';
import { headWidth, type WhisperShape } from '../../../model/whisper-shape.ts';
import { moveRow, rowsOf } from './cache-rows.ts';
import type { CacheBytes, EncodedWindow } from './whisper-encoder.ts';

/** The capacity grows by this many frames at a time, so that windows of nearly the same length need no new arrays. */
const frameStep = 10;
/** Added to the attention scores of what must not be attended to. */
export const hidden = -1e9;

/** Keys and values of the windows' audio, of each row of the batch and each layer. */
export class CrossAttentionCache {
  readonly #shape: WhisperShape;
  readonly #rows: number;
  readonly #storage: 'int8' | 'uint8';
  readonly #scaleSize: number;
  readonly #scales: Float32Array;
  #frames = 0;
  #keys: CacheBytes[] = [];
  #values: CacheBytes[] = [];
  #mask = new Float32Array(0);

  constructor(shape: WhisperShape, integers: IntegerKind, rows: number) {
    this.#shape = shape;
    this.#rows = rows;
    this.#storage = integers === 'signed' ? 'int8' : 'uint8';
    this.#scaleSize = 2 * shape.decoderLayers * shape.width;
    this.#scales = new Float32Array(rows * this.#scaleSize);
  }

  /** How many frames each row has space for. */
  get frames(): number {
    return this.#frames;
  }

  /** Stores a window in a row, which must be the first free one. */
  put(row: number, window: EncodedWindow): void {
    const wanted = Math.ceil(window.frames / frameStep) * frameStep;
    if (row === 0 || wanted > this.#frames) this.#resize(wanted, row);
    for (let layer = 0; layer < this.#shape.decoderLayers; layer++) {
      this.#putKeys(this.#keys[layer]!, window.keys[layer]!, row, window.frames);
      this.#putValues(this.#values[layer]!, window.values[layer]!, row, window.frames);
    }
    this.#scales.set(window.scales, row * this.#scaleSize);
    const mask = rowsOf(this.#mask, row, 1, this.#frames);
    mask.fill(0, 0, window.frames).fill(hidden, window.frames);
  }

  move(from: number, to: number): void {
    for (const cache of [...this.#keys, ...this.#values]) moveRow(cache, from, to, this.#rowSize);
    moveRow(this.#scales, from, to, this.#scaleSize);
    moveRow(this.#mask, from, to, this.#frames);
  }

  tensors(first: number, batch: number): Record<string, Tensor> {
    const { heads, width, decoderLayers } = this.#shape;
    const feeds: Record<string, Tensor> = {};
    for (let layer = 0; layer < decoderLayers; layer++) {
      const keys = rowsOf(this.#keys[layer]!, first, batch, this.#rowSize);
      const values = rowsOf(this.#values[layer]!, first, batch, this.#rowSize);
      feeds[`cross_keys.${layer}`] = byteTensor(keys, [batch, heads, headWidth, this.#frames]);
      feeds[`cross_values.${layer}`] = byteTensor(values, [batch, heads, this.#frames, headWidth]);
    }
    const scales = rowsOf(this.#scales, first, batch, this.#scaleSize);
    const mask = rowsOf(this.#mask, first, batch, this.#frames);
    feeds.cross_scales = new Tensor('float32', scales, [batch, 2 * decoderLayers, 1, width]);
    feeds.cross_mask = new Tensor('float32', mask, [batch, 1, 1, this.#frames]);
    return feeds;
  }

  get #rowSize(): number {
    return this.#shape.width * this.#frames;
  }

  /** New arrays for a longer window than those in the batch, or for the first window of another length. */
  #resize(frames: number, usedRows: number): void {
    if (frames === this.#frames) return;
    const old = { frames: this.#frames, keys: this.#keys, values: this.#values, mask: this.#mask };
    const { decoderLayers, width } = this.#shape;
    this.#frames = frames;
    this.#keys = this.#newArrays();
    this.#values = this.#newArrays();
    this.#mask = new Float32Array(this.#rows * frames).fill(hidden);
    for (let row = 0; row < usedRows; row++) {
      for (let layer = 0; layer < decoderLayers; layer++) {
        const keys = rowsOf(old.keys[layer]!, row, 1, width * old.frames);
        const values = rowsOf(old.values[layer]!, row, 1, width * old.frames);
        this.#putKeys(this.#keys[layer]!, keys, row, old.frames);
        this.#putValues(this.#values[layer]!, values, row, old.frames);
      }
      this.#mask.set(rowsOf(old.mask, row, 1, old.frames), row * frames);
    }
  }

  #newArrays(): CacheBytes[] {
    const size = this.#rows * this.#rowSize;
    return Array.from({ length: this.#shape.decoderLayers }, () =>
      this.#storage === 'int8' ? new Int8Array(size) : new Uint8Array(size),
    );
  }

  /** Keys are [channels, frames]: `frames` values of each channel, followed in the cache by what is left of its capacity. */
  #putKeys(cache: CacheBytes, keys: CacheBytes, row: number, frames: number): void {
    const { width: channels } = this.#shape;
    const base = row * this.#rowSize;
    if (frames === this.#frames) cache.set(keys, base);
    else
      for (let channel = 0; channel < channels; channel++)
        cache.set(keys.subarray(channel * frames, (channel + 1) * frames), base + channel * this.#frames);
  }

  /** Values are [heads, frames, 64]: for each head a block of `frames` vectors. */
  #putValues(cache: CacheBytes, values: CacheBytes, row: number, frames: number): void {
    const [from, to] = [frames * headWidth, this.#frames * headWidth];
    for (let head = 0; head < this.#shape.heads; head++) {
      const target = row * this.#rowSize + head * to;
      cache.set(values.subarray(head * from, (head + 1) * from), target);
    }
  }
}

function byteTensor(data: CacheBytes, shape: number[]): Tensor {
  return data instanceof Int8Array ? new Tensor('int8', data, shape) : new Tensor('uint8', data, shape);
}
