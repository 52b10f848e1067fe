import { pcmSampleRate } from '../../audio/pcm.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** What one decoding may cost, and how large its process may grow. */
export type DecodeLimits = {
  /** Processor time for any decoding, and more for each second of audio that comes out and each megabyte that goes in. */
  baseMs: number;
  msPerAudioSecond: number;
  msPerMegabyte: number;
  memoryBytes: number;
};

export type DecodeUse = { processorMs: number; samples: number; bytes: number };

/** Decoding a second takes 1 to 15 ms of a slow processor, listening for voices 2, and taking in a megabyte of wav 5. */
export const defaultDecodeLimits: Omit<DecodeLimits, 'memoryBytes'> = {
  baseMs: 3_000,
  msPerAudioSecond: 60,
  msPerMegabyte: 50,
};

export function isTooCostly({ processorMs, samples, bytes }: DecodeUse, limits: DecodeLimits): boolean {
  const { baseMs, msPerAudioSecond, msPerMegabyte } = limits;
  return processorMs > baseMs + (samples / pcmSampleRate) * msPerAudioSecond + (bytes / 1e6) * msPerMegabyte;
}

/** The file is at fault: no recording needs so much. */
export function tooCostly(cause?: unknown): ServiceError {
  return new ServiceError('invalid_file_format', {
    message:
      'Decoding the audio takes more time or memory than any recording needs. Convert it to mp3 or wav, and send it again.',
    cause,
  });
}
