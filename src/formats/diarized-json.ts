import type { Segment, Transcript } from '../speech/transcript/segment.ts';
import { summarise, type TranscriptSummary, toJsonSegment } from './json.ts';

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

export function toDiarizedJson(transcript: Transcript): DiarizedJsonTranscript {
  return {
    ...summarise(transcript),
    segments: transcript.segments.map(toDiarizedSegment),
  };
}

export function toDiarizedSegment(segment: Segment, index: number): DiarizedSegment {
  return { type: 'transcript.text.segment', ...toJsonSegment(segment, index), id: `seg_${index}` };
}
