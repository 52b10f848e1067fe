import { type AudioBlock, silence, trimBlock } from '../audio-block.ts';
import type { PacketDecoder } from '../codecs/packet-decoder.ts';
import type { WebmBlock } from './webm-reader.ts';

/** A smaller difference comes from rounding or from a recorder's jitter. */
const gapToleranceSeconds = 0.1;
/** A longer jump is a broken clock, not lost audio. */
const maxGapSeconds = 600;

/** Decodes blocks and keeps each at its time: silence replaces what is missing before it. */
export class WebmTimeline {
  readonly #decoder: PacketDecoder;
  #leadIn: number;
  #dueSeconds: number | undefined;
  /** A block with a gap before it. Its time is believed when the next block is not earlier. */
  #doubtful: WebmBlock | undefined;

  constructor(decoder: PacketDecoder) {
    this.#decoder = decoder;
    this.#leadIn = decoder.leadIn;
  }

  async *add(block: WebmBlock): AsyncGenerator<AudioBlock> {
    yield* this.#settle((doubtful) => block.seconds >= doubtful.seconds);
    this.#dueSeconds ??= block.seconds;
    if (block.seconds - this.#dueSeconds > gapToleranceSeconds) this.#doubtful = block;
    else yield* this.#decode(block);
  }

  async *finish(): AsyncGenerator<AudioBlock> {
    yield* this.#settle(() => true);
  }

  free(): void {
    this.#decoder.free();
  }

  async *#settle(believe: (doubtful: WebmBlock) => boolean): AsyncGenerator<AudioBlock> {
    const block = this.#doubtful;
    if (!block) return;
    this.#doubtful = undefined;
    if (believe(block)) {
      const gap = block.seconds - this.#dueSeconds!;
      this.#dueSeconds = block.seconds;
      const { sampleRate } = this.#decoder;
      if (gap <= maxGapSeconds) yield* silence(Math.round(gap * sampleRate), sampleRate);
    }
    yield* this.#decode(block);
  }

  async *#decode(block: WebmBlock): AsyncGenerator<AudioBlock> {
    // After a clock was set back, later gaps must still be seen.
    if (this.#dueSeconds! - block.seconds > maxGapSeconds) this.#dueSeconds = block.seconds;
    for (const [index, frame] of block.frames.entries()) {
      const decoded = await this.#decoder.decode(frame).catch(() => undefined);
      if (!decoded) continue;
      const length = decoded.channels[0]!.length;
      this.#dueSeconds! += length / decoded.sampleRate;
      const last = index === block.frames.length - 1;
      const padding = last ? Math.round(block.discardSeconds * decoded.sampleRate) : 0;
      const kept = trimBlock(decoded, this.#leadIn, padding);
      this.#leadIn = Math.max(0, this.#leadIn - length);
      if (kept.channels[0]!.length > 0) yield kept;
    }
  }
}
