import type { AudioBlock } from '../audio-block.ts';

/** One codec's packets, as both ogg and webm carry them. */
export interface PacketDecoder {
  /** The rate of the blocks it gives. */
  readonly sampleRate: number;
  /** Samples at the start that belong to the codec, not to the recording. */
  readonly leadIn: number;
  /** The packet's samples; none for a packet that is damaged or that only primes the decoder. */
  decode(packet: Uint8Array): Promise<AudioBlock | undefined>;
  free(): void;
}

/** Resolves to undefined where the headers are wrong or the codec is not known here. */
export type CreatePacketDecoder = (headers: Uint8Array[]) => Promise<PacketDecoder | undefined>;
