import type { SpokenLanguage } from './languages.ts';

/** One piece of the transcript with its times, in seconds from the start of the audio. */
export type Segment = {
  id: number;
  startSeconds: number;
  endSeconds: number;
  text: string;
  language: SpokenLanguage;
  words: Word[];
  speaker?: number;
  /** OpenAI's per-segment figures, for `verbose_json`. */
  tokens: number[];
  temperature: number;
  averageLogProbability: number;
  compressionRatio: number;
  noSpeechProbability: number;
};

export type Word = { text: string; startSeconds: number; endSeconds: number; probability: number };

/** What is known of a recording when all of it has been recognised. */
export type TranscribedRecording = { durationSeconds: number; numSpeakers?: number };

/** A finished transcript: what the response formats are written from. */
export type Transcript = {
  durationSeconds: number;
  language: SpokenLanguage;
  segments: Segment[];
  numSpeakers?: number;
};
