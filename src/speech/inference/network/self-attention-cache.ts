import { Tensor } from 'onnxruntime-node';
import { headWidth, type WhisperShape } from '../../../model/whisper-shape.ts';
import { moveRow, rowsOf } from './cache-rows.ts';

/** The capacity grows by this many tokens at a time, since every step of the decoder reads all of it. */
const tokenStep = 32;

/** Keys and values of the tokens so far, of each row of the batch and each layer: [rows, heads, tokens, 64]. */
export class SelfAttentionCache {
  readonly #shape: WhisperShape;
  readonly #rows: number;
  #tokens = 0;
  #keys: Float32Array[] = [];
  #values: Float32Array[] = [];

  constructor(shape: WhisperShape, rows: number) {
    this.#shape = shape;
    this.#rows = rows;
  }

  /** How many tokens each row has space for. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Makes the capacity fit rows of these lengths: larger where it must be, smaller where most of it is unused. */
  reserve(lengths: readonly number[]): void {
    const wanted = Math.max(1, Math.ceil(Math.max(...lengths) / tokenStep)) * tokenStep;
    if (wanted > this.#tokens || wanted < this.#tokens - 2 * tokenStep) this.#resize(wanted, lengths.length);
  }

  move(from: number, to: number): void {
    for (const cache of [...this.#keys, ...this.#values]) moveRow(cache, from, to, this.#rowSize);
  }

  /** Stores the keys and values of new tokens in a row, from the token `start` on: [steps, layers · (key, value) · width]. */
  put(row: number, start: number, steps: number, state: Float32Array): void {
    const { heads, width, decoderLayers } = this.#shape;
    for (let step = 0; step < steps; step++) {
      for (let part = 0; part < 2 * decoderLayers; part++) {
        const cache = (part % 2 === 0 ? this.#keys : this.#values)[part >> 1]!;
        const from = (step * 2 * decoderLayers + part) * width;
        for (let head = 0; head < heads; head++) {
          const to = ((row * heads + head) * this.#tokens + start + step) * headWidth;
          const at = from + head * headWidth;
          for (let c = 0; c < headWidth; c++) cache[to + c] = state[at + c]!;
        }
      }
    }
  }

  tensors(first: number, batch: number): Record<string, Tensor> {
    const shape = [batch, this.#shape.heads, this.#tokens, headWidth];
    const tensor = (cache: Float32Array) =>
      new Tensor('float32', rowsOf(cache, first, batch, this.#rowSize), shape);
    const feeds: Record<string, Tensor> = {};
    for (let layer = 0; layer < this.#shape.decoderLayers; layer++) {
      feeds[`self_keys.${layer}`] = tensor(this.#keys[layer]!);
      feeds[`self_values.${layer}`] = tensor(this.#values[layer]!);
    }
    return feeds;
  }

  get #rowSize(): number {
    return this.#shape.heads * this.#tokens * headWidth;
  }

  #resize(tokens: number, usedRows: number): void {
    const { heads, decoderLayers } = this.#shape;
    const old = { tokens: this.#tokens, keys: this.#keys, values: this.#values };
    const kept = Math.min(tokens, old.tokens) * headWidth;
    this.#tokens = tokens;
    const resized = (before: Float32Array | undefined) => {
      const cache = new Float32Array(this.#rows * this.#rowSize);
      if (!before) return cache;
      for (let head = 0; head < usedRows * heads; head++) {
        const from = head * old.tokens * headWidth;
        cache.set(before.subarray(from, from + kept), head * tokens * headWidth);
      }
      return cache;
    };
    this.#keys = Array.from({ length: decoderLayers }, (_, layer) => resized(old.keys[layer]));
    this.#values = Array.from({ length: decoderLayers }, (_, layer) => resized(old.values[layer]));
  }
}
