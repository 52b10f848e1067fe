import { strict as assert } from 'node:assert';
import { Tensor } from 'onnxruntime-node';
import type { IntegerKind } from '../../../model/integer-kind.ts';
import { headWidth, type WhisperShape } from '../../../model/whisper-shape.ts';
import type { CacheBytes, EncodedWindow } from './whisper-encoder.ts';

/** The capacity for earlier tokens grows by this many at a time, since every step of the decoder reads all of the capacity. */
const tokenStep = 32;
/** The capacity for frames grows by this many, so that windows of nearly the same length need no new arrays. */
const frameStep = 10;
/** Added to the attention scores of what must not be attended to. */
export const hidden = -1e9;

/** The decoder's keys and values. Rows 0 … n − 1 of every array are the batch, so that nothing is copied for a step. */
export class DecoderCaches {
  readonly #shape: WhisperShape;
  readonly #capacity: number;
  readonly #storage: 'int8' | 'uint8';
  readonly #lengths: number[] = [];
  /** Frames and tokens that each row has space for. */
  #frames = 0;
  #tokens = 0;
  #selfKeys: Float32Array[] = [];
  #selfValues: Float32Array[] = [];
  #crossKeys: CacheBytes[] = [];
  #crossValues: CacheBytes[] = [];
  #crossMask = new Float32Array(0);
  readonly #crossScales: Float32Array;

  constructor(shape: WhisperShape, integers: IntegerKind, capacity: number) {
    this.#shape = shape;
    this.#capacity = capacity;
    this.#storage = integers === 'signed' ? 'int8' : 'uint8';
    this.#crossScales = new Float32Array(capacity * this.#scaleSize);
  }

  get count(): number {
    return this.#lengths.length;
  }

  /** Tokens that each row has space for: the `past` dimension of the graph. */
  get past(): number {
    return this.#tokens;
  }

  get frames(): number {
    return this.#frames;
  }

  length(row: number): number {
    const length = this.#lengths[row];
    assert(length !== undefined, 'no window in this row');
    return length;
  }

  add(window: EncodedWindow): number {
    const row = this.#lengths.length;
    assert(row < this.#capacity, 'no free row');
    const wanted = Math.ceil(window.frames / frameStep) * frameStep;
    if (row === 0 || wanted > this.#frames) this.#resizeFrames(wanted);
    this.#lengths.push(0);
    for (let layer = 0; layer < this.#shape.decoderLayers; layer++) {
      this.#putKeys(this.#crossKeys[layer]!, window.keys[layer]!, row, window.frames);
      this.#putValues(this.#crossValues[layer]!, window.values[layer]!, row, window.frames);
    }
    this.#crossScales.set(window.scales, row * this.#scaleSize);
    const mask = this.#crossMask.subarray(row * this.#frames, (row + 1) * this.#frames);
    mask.fill(0, 0, window.frames).fill(hidden, window.frames);
    return row;
  }

  /** Frees a row. The window of the last row moves into it, so that the rows stay without a hole; returns the row that it left. */
  remove(row: number): number {
    const last = this.#lengths.length - 1;
    assert(row >= 0 && row <= last, 'no window in this row');
    if (row !== last) {
      const { decoderLayers, heads, width } = this.#shape;
      for (let layer = 0; layer < decoderLayers; layer++) {
        for (const cache of [this.#crossKeys[layer]!, this.#crossValues[layer]!])
          move(cache, last, row, width * this.#frames);
        for (const cache of [this.#selfKeys[layer], this.#selfValues[layer]]) {
          if (cache) move(cache, last, row, heads * this.#tokens * headWidth);
        }
      }
      move(this.#crossScales, last, row, this.#scaleSize);
      move(this.#crossMask, last, row, this.#frames);
      this.#lengths[row] = this.#lengths[last]!;
    }
    this.#lengths.pop();
    return last;
  }

  restart(row: number): void {
    this.#lengths[row] = 0;
  }

  truncate(row: number, length: number): void {
    assert(length <= this.length(row), 'a window cannot be cut longer');
    this.#lengths[row] = length;
  }

  /** Makes the capacity fit the longest window's tokens: larger where it must be, smaller where most of it is unused. */
  reserve(): void {
    const longest = Math.max(...this.#lengths);
    const wanted = Math.max(1, Math.ceil(longest / tokenStep)) * tokenStep;
    if (wanted > this.#tokens || wanted < this.#tokens - 2 * tokenStep) this.#resizeTokens(wanted);
  }

  /** Stores the new tokens' keys and values: [batch, steps, layers · (key, value) · width]. */
  append(first: number, batch: number, steps: number, state: Float32Array): void {
    const { heads, width, decoderLayers } = this.#shape;
    for (let i = 0; i < batch; i++) this.#lengths[first + i]! += steps;
    this.reserve();
    for (let i = 0; i < batch; i++) {
      const start = this.#lengths[first + i]! - steps;
      for (let step = 0; step < steps; step++) {
        for (let part = 0; part < 2 * decoderLayers; part++) {
          const cache = (part % 2 === 0 ? this.#selfKeys : this.#selfValues)[part >> 1]!;
          const from = ((i * steps + step) * 2 * decoderLayers + part) * width;
          for (let head = 0; head < heads; head++) {
            const to = (((first + i) * heads + head) * this.#tokens + start + step) * headWidth;
            const at = from + head * headWidth;
            for (let c = 0; c < headWidth; c++) cache[to + c] = state[at + c]!;
          }
        }
      }
    }
  }

  tensors(first: number, batch: number): Record<string, Tensor> {
    const { heads, width, decoderLayers } = this.#shape;
    const feeds: Record<string, Tensor> = {};
    const part = <T extends Float32Array | CacheBytes>(cache: T, size: number) =>
      cache.subarray(first * size, (first + batch) * size) as T;
    for (let layer = 0; layer < decoderLayers; layer++) {
      const selfSize = heads * this.#tokens * headWidth;
      const selfShape = [batch, heads, this.#tokens, headWidth];
      feeds[`self_keys.${layer}`] = new Tensor('float32', part(this.#selfKeys[layer]!, selfSize), selfShape);
      feeds[`self_values.${layer}`] = new Tensor(
        'float32',
        part(this.#selfValues[layer]!, selfSize),
        selfShape,
      );
      const crossSize = width * this.#frames;
      feeds[`cross_keys.${layer}`] = this.#bytes(part(this.#crossKeys[layer]!, crossSize), [
        batch,
        heads,
        headWidth,
        this.#frames,
      ]);
      feeds[`cross_values.${layer}`] = this.#bytes(part(this.#crossValues[layer]!, crossSize), [
        batch,
        heads,
        this.#frames,
        headWidth,
      ]);
    }
    const scales = part(this.#crossScales, this.#scaleSize);
    feeds.cross_scales = new Tensor('float32', scales, [batch, 2 * decoderLayers, 1, width]);
    feeds.cross_mask = new Tensor('float32', part(this.#crossMask, this.#frames), [
      batch,
      1,
      1,
      this.#frames,
    ]);
    return feeds;
  }

  get #scaleSize(): number {
    return 2 * this.#shape.decoderLayers * this.#shape.width;
  }

  #bytes(data: CacheBytes, shape: number[]): Tensor {
    return data instanceof Int8Array ? new Tensor('int8', data, shape) : new Tensor('uint8', data, shape);
  }

  /** New arrays for a longer window than those in the batch, or for the first window of another length. */
  #resizeFrames(frames: number): void {
    const { decoderLayers, width } = this.#shape;
    if (frames === this.#frames) return;
    const old = {
      frames: this.#frames,
      keys: this.#crossKeys,
      values: this.#crossValues,
      mask: this.#crossMask,
    };
    this.#frames = frames;
    const make = () =>
      Array.from({ length: decoderLayers }, () => {
        const size = this.#capacity * width * frames;
        return this.#storage === 'int8' ? new Int8Array(size) : new Uint8Array(size);
      });
    this.#crossKeys = make();
    this.#crossValues = make();
    this.#crossMask = new Float32Array(this.#capacity * frames).fill(hidden);
    for (let row = 0; row < this.#lengths.length; row++) {
      const size = width * old.frames;
      for (let layer = 0; layer < decoderLayers; layer++) {
        const keys = old.keys[layer]!.subarray(row * size, (row + 1) * size);
        const values = old.values[layer]!.subarray(row * size, (row + 1) * size);
        this.#putKeys(this.#crossKeys[layer]!, keys, row, old.frames);
        this.#putValues(this.#crossValues[layer]!, values, row, old.frames);
      }
      this.#crossMask.set(old.mask.subarray(row * old.frames, (row + 1) * old.frames), row * frames);
    }
  }

  /** Keys are [channels, frames]: `frames` values of each channel, followed in the cache by what is left of its capacity. */
  #putKeys(cache: CacheBytes, keys: CacheBytes, row: number, frames: number): void {
    const { width: channels } = this.#shape;
    const base = row * channels * this.#frames;
    if (frames === this.#frames) cache.set(keys, base);
    else
      for (let channel = 0; channel < channels; channel++)
        cache.set(keys.subarray(channel * frames, (channel + 1) * frames), base + channel * this.#frames);
  }

  /** Values are [heads, frames, 64]: for each head a block of `frames` vectors. */
  #putValues(cache: CacheBytes, values: CacheBytes, row: number, frames: number): void {
    const [from, to] = [frames * headWidth, this.#frames * headWidth];
    for (let head = 0; head < this.#shape.heads; head++) {
      const target = (row * this.#shape.heads + head) * to;
      cache.set(values.subarray(head * from, (head + 1) * from), target);
    }
  }

  #resizeTokens(tokens: number): void {
    const { heads, decoderLayers } = this.#shape;
    const old = { tokens: this.#tokens, keys: this.#selfKeys, values: this.#selfValues };
    this.#tokens = tokens;
    const resize = (caches: Float32Array[]) =>
      Array.from({ length: decoderLayers }, (_, layer) => {
        const cache = new Float32Array(this.#capacity * heads * tokens * headWidth);
        const before = caches[layer];
        if (before) {
          const kept = Math.min(tokens, old.tokens) * headWidth;
          for (let head = 0; head < this.#lengths.length * heads; head++) {
            const from = head * old.tokens * headWidth;
            cache.set(before.subarray(from, from + kept), head * tokens * headWidth);
          }
        }
        return cache;
      });
    this.#selfKeys = resize(old.keys);
    this.#selfValues = resize(old.values);
  }
}

function move<T extends Float32Array | CacheBytes>(cache: T, from: number, to: number, size: number): void {
  cache.copyWithin(to * size, from * size, (from + 1) * size);
}
