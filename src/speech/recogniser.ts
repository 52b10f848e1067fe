import type { StreamRecogniser } from './live/stream-recogniser.ts';
import type { SpeakerTracker } from './speakers/speaker-tracker.ts';
import type { LanguageSetting } from './transcript/languages.ts';
import type { Segment, TranscribedRecording } from './transcript/segment.ts';

/** Audio bytes in, segments out as they are recognised. */
export type Recogniser = AsyncDisposable & {
  transcribe(
    bytes: AsyncIterable<Uint8Array>,
    options: TranscribeOptions,
  ): AsyncGenerator<Segment, TranscribedRecording>;
  /** Recognises streams. */
  stream?: StreamRecogniser;
  /** Tells the speakers of one stream apart. */
  trackSpeakers?(): SpeakerTracker;
  /** Resolves when work can begin; rejects when the inference processes cannot start. */
  ready(): Promise<void>;
  load(): RecogniserLoad;
};

export type RecogniserLoad = {
  /** Inference processes that take work. */
  processes: number;
  /** Windows being recognised, and windows waiting for it. */
  busySlots: number;
  queued: number;
  /** Processes replaced since the start, for whatever reason. */
  restarts: number;
  rssBytes: number;
};

export type TranscribeOptions = {
  language: LanguageSetting;
  prompt?: string;
  hotwords?: readonly string[];
  /** Where to begin: 0 takes the likeliest words, up to 1 draws ever more freely. */
  temperature?: number;
  /** Times for every word, which costs about a tenth more. */
  words?: boolean;
  /** Tell speakers apart, with their number where it is known. Segments then come only at the end of the recording. */
  speakers?: { count?: number };
  /** How much of the silence around the speech the model is given; `short` is the default, and faster. */
  context?: 'full' | 'short';
  signal?: AbortSignal;
  requestId?: string;
  onProgress?: (progress: TranscribeProgress) => void;
  /** Called with the length of the audio so far, before its last chunk is recognised. It is awaited, and an error that it throws ends the work. */
  onDecoded?: (totalSeconds: number) => Promise<void>;
};

export type TranscribeProgress = { decodedSeconds: number; doneSeconds: number };
