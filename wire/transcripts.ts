import type { ErrorBody } from './error-body.ts';

/** The answers to a transcription, by `response_format`. Times are seconds from the start of the audio. */

export type JsonTranscript = TranscriptSummary & { segments?: JsonSegment[] };

export type TranscriptSummary = { task: 'transcribe'; duration: number; text: string; num_speakers?: number };

export type JsonSegment = { id: number; start: number; end: number; text: string; speaker?: number };

export type TimedWord = { word: string; start: number; end: number };

/** OpenAI's `diarized_json`, except that speakers are numbers, as everywhere else in this service. */
export type DiarizedJsonTranscript = TranscriptSummary & { segments: DiarizedSegment[] };

export type DiarizedSegment = {
  type: 'transcript.text.segment';
  id: string;
  start: number;
  end: number;
  text: string;
  speaker?: number;
};

export type VerboseJsonTranscript = TranscriptSummary & {
  /** The language that was spoken for the longest time. */
  language: 'zh' | 'en' | 'nan';
  segments?: VerboseJsonSegment[];
  words?: TimedWord[];
};

/** Adds OpenAI's figures. `seek` is in hundredths of a second, the length of a frame of Whisper's features. */
export type VerboseJsonSegment = JsonSegment & {
  seek: number;
  tokens: number[];
  temperature: number;
  avg_logprob: number;
  compression_ratio: number;
  no_speech_prob: number;
};

/** OpenAI's events of a transcription with `stream=true`. */
export type FileEvent = DeltaEvent | DiarizedSegment | DoneEvent | ErrorEvent;

/** All deltas joined together are the text. */
export type DeltaEvent = { type: 'transcript.text.delta'; delta: string; segment_id: string };

export type DoneEvent = {
  type: 'transcript.text.done';
  text: string;
  usage: { type: 'duration'; seconds: number };
};

export type ErrorEvent = { type: 'error' } & ErrorBody;
