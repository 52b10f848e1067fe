import { Tensor } from 'onnxruntime-node';
import type { IntegerKind } from '../../../model/integer-kind.ts';
import { openGraph } from '../../../model/onnx/graph-session.ts';
import type { WhisperShape } from '../../../model/whisper-shape.ts';
import { hidden } from './cross-attention-cache.ts';
import { DecoderCaches } from './decoder-caches.ts';
import type { EncodedWindow } from './whisper-encoder.ts';

/** Attention of the heads that follow the speech in time: [heads, tokens, frames]. */
export type Alignment = { heads: number; tokens: number; frames: number; weights: Float32Array };

/**
 * Several windows decoded side by side as rows of one batch: the weights are read from memory once for all of them. Windows occupy
 * rows 0 … count − 1. Log-probabilities are given for the whole vocabulary, one answer after another.
 */
export interface WhisperDecoder {
  readonly capacity: number;
  readonly count: number;
  /** Adds a window and returns its row, which is always the last. */
  add(window: EncodedWindow): number;
  /** Removes a window. The window of the last row moves into the freed row; returns the row that it left. */
  remove(row: number): number;
  /** Forgets the tokens of a window, not its audio. */
  restart(row: number): void;
  /** What would follow `token` if it attended to one stretch of frames only: an answer for each stretch. Forgets the window's tokens. */
  probe(row: number, token: number, stretches: readonly FrameStretch[]): Promise<Float32Array>;
  /** Feeds several tokens to one window; the answers are what follows each of the last `answers` tokens. */
  prompt(row: number, tokens: readonly number[], answers?: number): Promise<Float32Array>;
  /** Forgets the tokens of a window from `length` on. */
  truncate(row: number, length: number): void;
  /** Feeds one token to every window, in the order of the rows; an answer for each row. */
  step(tokens: readonly number[]): Promise<Float32Array>;
  /** Which frames each of `tokens` attends to. Forgets the window's tokens. */
  align(row: number, tokens: readonly number[]): Promise<Alignment>;
}

export type FrameStretch = { from: number; to: number };

type RunOptions = {
  wantAlignment?: boolean;
  /** After how many of the last tokens the next one is wanted. */
  answers?: number;
  /** Each new token stands alone, and attends to a stretch of its own. */
  stretches?: readonly FrameStretch[];
};

export type WhisperDecoderOptions = {
  graphPath: string;
  shape: WhisperShape;
  integers: IntegerKind;
  threads: number;
  capacity: number;
};

export async function createWhisperDecoder(options: WhisperDecoderOptions): Promise<WhisperDecoder> {
  const { shape, capacity, integers } = options;
  const graph = await openGraph(options.graphPath, { threads: options.threads });
  const caches = new DecoderCaches(shape, integers, capacity);

  /** Runs the rows `first` … `first + batch − 1`, each with the same number of new tokens. */
  async function run(
    first: number,
    batch: number,
    tokens: readonly number[],
    { wantAlignment = false, answers = 1, stretches }: RunOptions = {},
  ) {
    const steps = tokens.length / batch;
    const lengths = Array.from({ length: batch }, (_, i) => caches.length(first + i));
    caches.reserve();
    const past = caches.past;
    const mask = new Float32Array(batch * steps * (past + steps)).fill(hidden);
    const positions = new BigInt64Array(batch * steps);
    for (let index = 0; index < batch * steps; index++) {
      const step = index % steps;
      const length = lengths[Math.floor(index / steps)]!;
      const start = index * (past + steps);
      mask.fill(0, start, start + length);
      mask.fill(0, start + past + (stretches ? step : 0), start + past + step + 1);
      positions[index] = BigInt(stretches ? length : length + step);
    }
    const outputs = await graph.run({
      ...caches.tensors(first, batch),
      ...(stretches && { cross_mask: stretchMask(stretches) }),
      tokens: new Tensor('int64', BigInt64Array.from(tokens, BigInt), [batch, steps]),
      positions: new Tensor('int64', positions, [batch, steps]),
      mask: new Tensor('float32', mask, [batch, 1, steps, past + steps]),
      past: new Tensor('int64', BigInt64Array.of(BigInt(past)), [1]),
      answered: indices(stretches ? stretches.keys() : lastOf(steps, answers)),
      want_alignment: new Tensor('bool', [wantAlignment], []),
    });
    caches.append(first, batch, steps, outputs.new_state!.data as Float32Array);
    return outputs;
  }

  function stretchMask(stretches: readonly FrameStretch[]): Tensor {
    const frames = caches.frames;
    const mask = new Float32Array(stretches.length * frames).fill(hidden);
    for (const [index, { from, to }] of stretches.entries())
      mask.fill(0, index * frames + from, index * frames + to);
    return new Tensor('float32', mask, [1, 1, stretches.length, frames]);
  }

  return {
    capacity,
    get count() {
      return caches.count;
    },
    add: (window) => caches.add(window),
    remove: (row) => caches.remove(row),
    restart: (row) => caches.restart(row),
    async probe(row, token, stretches) {
      caches.restart(row);
      const outputs = await run(
        row,
        1,
        stretches.map(() => token),
        { stretches },
      );
      caches.restart(row);
      return outputs.log_probabilities!.data as Float32Array;
    },
    async prompt(row, tokens, answers = 1) {
      return (await run(row, 1, tokens, { answers })).log_probabilities!.data as Float32Array;
    },
    truncate: (row, length) => caches.truncate(row, length),
    async step(tokens) {
      return (await run(0, tokens.length, tokens)).log_probabilities!.data as Float32Array;
    },
    async align(row, tokens) {
      caches.restart(row);
      const { dims, data } = (await run(row, 1, tokens, { wantAlignment: true })).alignment!;
      return { heads: dims[1]!, tokens: dims[2]!, frames: dims[3]!, weights: data as Float32Array };
    },
  };
}

function lastOf(count: number, wanted: number): number[] {
  return Array.from({ length: wanted }, (_, index) => count - wanted + index);
}

function indices(values: Iterable<number>): Tensor {
  const data = BigInt64Array.from([...values].map(BigInt));
  return new Tensor('int64', data, [data.length]);
}
