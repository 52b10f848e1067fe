import type { Config } from '../config.ts';
import type { LanguageSetting, Segment } from './segment.ts';

/** Audio bytes in, segments out as they are recognised. */
export type Recogniser = AsyncDisposable & {
  transcribe(
    bytes: AsyncIterable<Uint8Array>,
    options: TranscribeOptions,
  ): AsyncGenerator<Segment, { durationSeconds: number }>;
};

export type TranscribeOptions = {
  language: LanguageSetting;
  prompt?: string;
  hotwords?: string[];
  signal?: AbortSignal;
  requestId?: string;
  priority?: 'interactive' | 'file';
  onProgress?: (progress: TranscribeProgress) => void;
};

export type TranscribeProgress = { decodedSeconds: number; doneSeconds: number };

export type CreateRecogniser = (options: RecogniserOptions) => Promise<Recogniser>;

export type RecogniserOptions = { config: Config; onPrepare?: (progress: PrepareProgress) => void };

export type PrepareProgress = { step: string; fraction: number };
