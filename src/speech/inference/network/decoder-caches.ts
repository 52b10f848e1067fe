import { strict as assert } from 'node:assert';
import type { Tensor } from 'onnxruntime-node';
import type { IntegerKind } from '../../../model/integer-kind.ts';
import type { WhisperShape } from '../../../model/whisper-shape.ts';
import { CrossAttentionCache } from './cross-attention-cache.ts';
import { SelfAttentionCache } from './self-attention-cache.ts';
import type { EncodedWindow } from './whisper-encoder.ts';

/**
 * The decoder's keys and values, and how many tokens each window has. Rows 0 … n − 1 of every array are the batch, so that nothing is
 * copied for a step.
 */
export class DecoderCaches {
  readonly #shape: WhisperShape;
  readonly #capacity: number;
  readonly #selfAttention: SelfAttentionCache;
  readonly #crossAttention: CrossAttentionCache;
  readonly #lengths: number[] = [];

  constructor(shape: WhisperShape, integers: IntegerKind, capacity: number) {
    this.#shape = shape;
    this.#capacity = capacity;
    this.#selfAttention = new SelfAttentionCache(shape, capacity);
    this.#crossAttention = new CrossAttentionCache(shape, integers, capacity);
  }

  get count(): number {
    return this.#lengths.length;
  }

  /** How many tokens each row has space for: the `past` dimension of the graph. */
  get past(): number {
    return this.#selfAttention.tokens;
  }

  get frames(): number {
    return this.#crossAttention.frames;
  }

  length(row: number): number {
    const length = this.#lengths[row];
    assert(length !== undefined, 'no window in this row');
    return length;
  }

  add(window: EncodedWindow): number {
    const row = this.#lengths.length;
    assert(row < this.#capacity, 'no free row');
    this.#crossAttention.put(row, window);
    this.#lengths.push(0);
    return row;
  }

  /** Frees a row. The window of the last row moves into it, so that the rows stay without a hole; returns the row that it left. */
  remove(row: number): number {
    const last = this.#lengths.length - 1;
    assert(row >= 0 && row <= last, 'no window in this row');
    if (row !== last) {
      this.#crossAttention.move(last, row);
      this.#selfAttention.move(last, row);
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

  reserve(): void {
    this.#selfAttention.reserve(this.#lengths);
  }

  /** Stores the new tokens' keys and values: [batch, steps, layers · (key, value) · width]. */
  append(first: number, batch: number, steps: number, state: Float32Array): void {
    const { decoderLayers, width } = this.#shape;
    const size = steps * 2 * decoderLayers * width;
    for (let i = 0; i < batch; i++) this.#lengths[first + i]! += steps;
    this.reserve();
    for (let i = 0; i < batch; i++) {
      const row = first + i;
      this.#selfAttention.put(
        row,
        this.#lengths[row]! - steps,
        steps,
        state.subarray(i * size, (i + 1) * size),
      );
    }
  }

  tensors(first: number, batch: number): Record<string, Tensor> {
    return { ...this.#selfAttention.tensors(first, batch), ...this.#crossAttention.tensors(first, batch) };
  }
}
