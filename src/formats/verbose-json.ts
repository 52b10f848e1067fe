import type { SpokenLanguage } from '../speech/transcript/languages.ts';
import type { Segment, Transcript, Word } from '../speech/transcript/segment.ts';
import { type JsonSegment, summarise, type TranscriptSummary, toJsonSegment } from './json.ts';
import { shownTimes } from './times.ts';

export type VerboseJsonTranscript = TranscriptSummary & {
  language: SpokenLanguage;
  segments?: VerboseJsonSegment[];
  words?: { word: string; start: number; end: number }[];
};

/** OpenAI's figures; `seek` counts hundredths of a second, the frames of Whisper's features. */
export type VerboseJsonSegment = JsonSegment & {
  seek: number;
  tokens: number[];
  temperature: number;
  avg_logprob: number;
  compression_ratio: number;
  no_speech_prob: number;
};

export function toVerboseJson(
  transcript: Transcript,
  options: { segments: boolean; words: boolean },
): VerboseJsonTranscript {
  return {
    ...summarise(transcript),
    language: transcript.language,
    ...(options.segments && { segments: transcript.segments.map(toVerboseSegment) }),
    ...(options.words && { words: transcript.segments.flatMap((segment) => segment.words.map(toJsonWord)) }),
  };
}

function toVerboseSegment(segment: Segment, id: number): VerboseJsonSegment {
  const plain = toJsonSegment(segment, id);
  return {
    ...plain,
    seek: Math.floor(plain.start * 100),
    tokens: segment.tokens,
    temperature: segment.temperature,
    avg_logprob: segment.averageLogProbability,
    compression_ratio: segment.compressionRatio,
    no_speech_prob: segment.noSpeechProbability,
  };
}

function toJsonWord(word: Word): { word: string; start: number; end: number } {
  return { word: word.text.trim(), ...shownTimes(word) };
}
