import type { TimedWord, VerboseJsonSegment, VerboseJsonTranscript } from '../../wire/transcripts.ts';
import type { Segment, Transcript, Word } from '../speech/transcript/segment.ts';
import { type Granularities, hasSegments, hasWords, summarise, toJsonSegment } from './json.ts';
import { shownTimes } from './times.ts';

export function toVerboseJson(transcript: Transcript, options: Granularities): VerboseJsonTranscript {
  return {
    ...summarise(transcript),
    language: transcript.language,
    ...(hasSegments(options) && { segments: transcript.segments.map(toVerboseSegment) }),
    ...(hasWords(options) && {
      words: transcript.segments.flatMap((segment) => segment.words.map(toJsonWord)),
    }),
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

function toJsonWord(word: Word): TimedWord {
  return { word: word.text.trim(), ...shownTimes(word) };
}
