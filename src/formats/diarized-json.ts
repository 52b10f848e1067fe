import type { DiarizedJsonTranscript, DiarizedSegment } from '../../wire/transcripts.ts';
import type { Segment, Transcript } from '../speech/transcript/segment.ts';
import { summarise, toJsonSegment } from './json.ts';

export function toDiarizedJson(transcript: Transcript): DiarizedJsonTranscript {
  return {
    ...summarise(transcript),
    segments: transcript.segments.map(toDiarizedSegment),
  };
}

export function toDiarizedSegment(segment: Segment, index: number): DiarizedSegment {
  return { type: 'transcript.text.segment', ...toJsonSegment(segment, index), id: `seg_${index}` };
}
