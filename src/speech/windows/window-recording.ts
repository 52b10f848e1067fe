import type { Pcm } from '../../audio/pcm.ts';
import { withSecondHearing } from './voice/second-hearing.ts';
import { type HeardBlock, hearBlock, type VoiceActivity, voiceFrameSamples } from './voice/voice-activity.ts';

/** As many frames as the voice detector takes at once; small enough that a lone word keeps little silence in memory. */
export const blockSamples = 24 * voiceFrameSamples;

type Block = { samples: Pcm; probabilities: Float32Array; frameSums: Float64Array };

/** The parts of a recording that may still be needed, by block. */
export class WindowRecording {
  readonly #blocks = new Map<number, Block>();
  #samples = 0;

  get totalSamples(): number {
    return this.#samples;
  }

  /** All blocks but the last are of `blockSamples`. */
  append(samples: Pcm, probabilities: Float32Array): void {
    this.#blocks.set(this.#samples / blockSamples, { samples, probabilities, frameSums: sumFrames(samples) });
    this.#samples += samples.length;
  }

  /** Forgets the blocks of which no sample is needed. */
  keep(needed: (start: number, end: number) => boolean): void {
    for (const index of this.#blocks.keys()) {
      if (!needed(index * blockSamples, (index + 1) * blockSamples)) this.#blocks.delete(index);
    }
  }

  read(start: number, end: number): Pcm {
    const samples = new Float32Array(end - start);
    for (let at = start; at < end; ) {
      const index = Math.floor(at / blockSamples);
      const from = at - index * blockSamples;
      const part = this.#block(index).samples.subarray(from, from + end - at);
      samples.set(part, at - start);
      at += part.length;
    }
    return samples;
  }

  probability(frame: number): number {
    const [block, index] = this.#find(frame);
    return block.probabilities[index]!;
  }

  /** The sum of a frame's samples as they arrived: a copy of the frame must have the same. */
  frameSum(frame: number): number {
    const [block, index] = this.#find(frame);
    return block.frameSums[index]!;
  }

  #find(frame: number): [Block, number] {
    const index = Math.floor((frame * voiceFrameSamples) / blockSamples);
    return [this.#block(index), frame - (index * blockSamples) / voiceFrameSamples];
  }

  #block(index: number): Block {
    const block = this.#blocks.get(index);
    if (!block) throw new Error(`block ${index} of the recording is needed after it was forgotten`);
    return block;
  }
}

/** Cuts a recording into blocks, and listens for voices in each. All blocks but the last are of `blockSamples`. */
export async function* hear(audio: AsyncIterable<Pcm>, voice: VoiceActivity): AsyncGenerator<HeardBlock> {
  const stream = voice.open();
  const heard = async function* () {
    for await (const samples of inBlocks(audio))
      yield { samples, probabilities: await hearBlock(stream, samples) };
  };
  yield* withSecondHearing(heard(), voice);
}

/** Cuts chunks of any length into blocks of one length, so that the result does not depend on how the audio arrived. */
async function* inBlocks(audio: AsyncIterable<Pcm>): AsyncGenerator<Pcm> {
  let block = new Float32Array(blockSamples);
  let filled = 0;
  for await (const chunk of audio) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + blockSamples - filled);
      block.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < blockSamples) continue;
      yield block;
      block = new Float32Array(blockSamples);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

function sumFrames(samples: Pcm): Float64Array {
  const sums = new Float64Array(Math.ceil(samples.length / voiceFrameSamples));
  for (let frame = 0; frame < sums.length; frame++) sums[frame] = sumOf(samples, frame * voiceFrameSamples);
  return sums;
}

export function sumOf(samples: Pcm, frameStart: number): number {
  const end = Math.min(samples.length, frameStart + voiceFrameSamples);
  let sum = 0;
  for (let i = frameStart; i < end; i++) sum += samples[i]!;
  return sum;
}
