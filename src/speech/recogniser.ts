import type { StreamDecoding } from '../audio/stream-decoding.ts';
import type { DispatcherStats } from '../pool/local-dispatcher.ts';
import type { StreamRecogniser } from './live/stream-recogniser.ts';
import type { SpeakerTracker } from './speakers/speaker-tracker.ts';
import type { TranscribeOptions } from './transcribe.ts';
import type { Segment, TranscribedRecording } from './transcript/segment.ts';

/** Audio bytes in, segments out as they are recognised. */
export type Recogniser = AsyncDisposable & {
  transcribe(
    bytes: AsyncIterable<Uint8Array>,
    options: TranscribeOptions,
  ): AsyncGenerator<Segment, TranscribedRecording>;
  /** Recognises streams. */
  stream?: StreamRecogniser;
  /** Decodes the audio of streams elsewhere. Without it, it is decoded on this thread. */
  decoding?: StreamDecoding;
  /** Tells the speakers of one stream apart. */
  trackSpeakers?(): SpeakerTracker;
  /** Resolves when work can begin; rejects when the inference processes cannot start. */
  ready(): Promise<void>;
  load(): RecogniserLoad;
};

/** The inference processes and their windows, and the decoder processes where there are any. */
export type RecogniserLoad = DispatcherStats & { decoders?: DecoderLoad };

export type DecoderLoad = {
  /** Processes that are up and take work. */
  processes: number;
  /** Files and streams that are being decoded, and those that wait for a process. */
  decodings: number;
  waiting: number;
  /** Processes replaced since the start, for whatever reason. */
  restarts: number;
  rssBytes: number;
};
