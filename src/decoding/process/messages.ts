import type { Pcm } from '../../audio/pcm.ts';
import type { CarriedError } from '../../pool/process/carried-error.ts';
import type { DecodeLimits } from './decode-limits.ts';

/**
 * `file` gives blocks with the probability of speech, `container` chunks of a live stream in a container. For `flac`, every piece of
 * bytes is answered by the audio that follows from it.
 */
export type DecodeKind = 'file' | 'container' | 'flac';

/** Everything that crosses the boundary to a decoder process; a decoding is always named by its id. */
export type ToDecoder =
  | { type: 'start'; voiceGraphPath: string; limits: DecodeLimits; memoryReportMs: number }
  | { type: 'open'; id: number; kind: DecodeKind }
  | { type: 'bytes'; id: number; bytes: Uint8Array }
  | { type: 'end'; id: number }
  /** So many more blocks of audio are welcome. */
  | { type: 'more'; id: number; blocks: number }
  | { type: 'close'; id: number };

export type FromDecoder =
  | { type: 'ready'; rssBytes: number }
  | { type: 'start_failed'; error: CarriedError }
  | { type: 'memory'; rssBytes: number }
  /** From now on, it works on this decoding. */
  | { type: 'turn'; id: number }
  /** A piece of bytes was taken in. */
  | { type: 'taken'; id: number }
  | { type: 'audio'; id: number; samples: Pcm; probabilities?: Float32Array }
  | { type: 'done'; id: number }
  | { type: 'failed'; id: number; error: CarriedError; isBadAudio: boolean };
