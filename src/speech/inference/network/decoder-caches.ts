import { strict as assert } from 'node:assert';
import { Tensor } from 'onnxruntime-node';
import type { IntegerKind } from '../../../model/integer-kind.ts';
import { headWidth, type WhisperShape } from '../../../model/whisper-shape.ts';
import type { CacheBytes, EncodedWindow } from './whisper-encoder.ts';

/** Room for earlier tokens grows in steps of this many, since every step of the decoder reads all of the room. */
const roomStep = 32;
/** Room for frames too: windows of nearly the same length find it laid. */
const frameStep = 10;
/** Added to what must not be attended to. */
export const hidden = -1e9;

/** The decoder's memory, laid out so that places 0 … n − 1 of every array are the batch: nothing is copied for a step. */
export class DecoderCaches {
  readonly #shape: WhisperShape;
  readonly #capacity: number;
  readonly #storage: 'int8' | 'uint8';
  readonly #lengths: number[] = [];
  #frames = 0;
  #room = 0;
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

  /** Tokens for which there is room, the `past` dimension of the graph. */
  get past(): number {
    return this.#room;
  }

  get frames(): number {
    return this.#frames;
  }

  length(place: number): number {
    const length = this.#lengths[place];
    assert(length !== undefined, 'no window at this place');
    return length;
  }

  add(window: EncodedWindow): number {
    const place = this.#lengths.length;
    assert(place < this.#capacity, 'no free place');
    const wanted = Math.ceil(window.frames / frameStep) * frameStep;
    if (place === 0 || wanted > this.#frames) this.#layFrames(wanted);
    this.#lengths.push(0);
    for (let layer = 0; layer < this.#shape.decoderLayers; layer++) {
      this.#putRows(
        this.#crossKeys[layer]!,
        window.keys[layer]!,
        place,
        window.frames,
        this.#shape.heads * headWidth,
      );
      this.#putBlocks(this.#crossValues[layer]!, window.values[layer]!, place, window.frames);
    }
    this.#crossScales.set(window.scales, place * this.#scaleSize);
    const mask = this.#crossMask.subarray(place * this.#frames, (place + 1) * this.#frames);
    mask.fill(0, 0, window.frames).fill(hidden, window.frames);
    return place;
  }

  remove(place: number): void {
    const last = this.#lengths.length - 1;
    assert(place <= last, 'no window at this place');
    if (place !== last) {
      const { decoderLayers, heads, width } = this.#shape;
      for (let layer = 0; layer < decoderLayers; layer++) {
        for (const cache of [this.#crossKeys[layer]!, this.#crossValues[layer]!])
          move(cache, last, place, width * this.#frames);
        for (const cache of [this.#selfKeys[layer], this.#selfValues[layer]]) {
          if (cache) move(cache, last, place, heads * this.#room * headWidth);
        }
      }
      move(this.#crossScales, last, place, this.#scaleSize);
      move(this.#crossMask, last, place, this.#frames);
      this.#lengths[place] = this.#lengths[last]!;
    }
    this.#lengths.pop();
  }

  restart(place: number): void {
    this.#lengths[place] = 0;
  }

  truncate(place: number, length: number): void {
    assert(length <= this.length(place), 'a window cannot be cut longer');
    this.#lengths[place] = length;
  }

  /** Makes room for every window's tokens, and gives back room that none of them needs. */
  reserve(): void {
    const longest = Math.max(...this.#lengths);
    const wanted = Math.max(1, Math.ceil(longest / roomStep)) * roomStep;
    if (wanted > this.#room || wanted < this.#room - 2 * roomStep) this.#layRoom(wanted);
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
            const to = (((first + i) * heads + head) * this.#room + start + step) * headWidth;
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
      const selfSize = heads * this.#room * headWidth;
      const selfShape = [batch, heads, this.#room, headWidth];
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

  /** Lays every array anew, for a longer window than those under way, or for the first of another length. */
  #layFrames(frames: number): void {
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
    for (let place = 0; place < this.#lengths.length; place++) {
      const size = width * old.frames;
      for (let layer = 0; layer < decoderLayers; layer++) {
        const keys = old.keys[layer]!.subarray(place * size, (place + 1) * size);
        const values = old.values[layer]!.subarray(place * size, (place + 1) * size);
        this.#putRows(this.#crossKeys[layer]!, keys, place, old.frames, width);
        this.#putBlocks(this.#crossValues[layer]!, values, place, old.frames);
      }
      this.#crossMask.set(old.mask.subarray(place * old.frames, (place + 1) * old.frames), place * frames);
    }
  }

  /** Keys: rows of `frames` values, each put at the start of a row of the cache's length. */
  #putRows(cache: CacheBytes, rows: CacheBytes, place: number, frames: number, count: number): void {
    const base = place * count * this.#frames;
    if (frames === this.#frames) cache.set(rows, base);
    else
      for (let row = 0; row < count; row++)
        cache.set(rows.subarray(row * frames, (row + 1) * frames), base + row * this.#frames);
  }

  /** Values: for each head a block of `frames` rows. */
  #putBlocks(cache: CacheBytes, values: CacheBytes, place: number, frames: number): void {
    const [from, to] = [frames * headWidth, this.#frames * headWidth];
    for (let head = 0; head < this.#shape.heads; head++) {
      const target = (place * this.#shape.heads + head) * to;
      cache.set(values.subarray(head * from, (head + 1) * from), target);
    }
  }

  #layRoom(room: number): void {
    const { heads, decoderLayers } = this.#shape;
    const old = { room: this.#room, keys: this.#selfKeys, values: this.#selfValues };
    this.#room = room;
    const lay = (caches: Float32Array[]) =>
      Array.from({ length: decoderLayers }, (_, layer) => {
        const cache = new Float32Array(this.#capacity * heads * room * headWidth);
        const before = caches[layer];
        if (before) {
          const kept = Math.min(room, old.room) * headWidth;
          for (let row = 0; row < this.#lengths.length * heads; row++) {
            const from = row * old.room * headWidth;
            cache.set(before.subarray(from, from + kept), row * room * headWidth);
          }
        }
        return cache;
      });
    this.#selfKeys = lay(old.keys);
    this.#selfValues = lay(old.values);
  }
}

function move<T extends Float32Array | CacheBytes>(cache: T, from: number, to: number, size: number): void {
  cache.copyWithin(to * size, from * size, (from + 1) * size);
}
