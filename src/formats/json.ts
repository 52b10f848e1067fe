import type { FileOptions } from '../../wire/option-types.ts';
import type { JsonSegment, JsonTranscript, TranscriptSummary } from '../../wire/transcripts.ts';
import type { Segment, Transcript } from '../speech/transcript/segment.ts';
import { toText } from './text.ts';
import { roundedToMilliseconds, shownTimes } from './times.ts';

export function toJson(transcript: Transcript, options: Granularities): JsonTranscript {
  return {
    ...summarise(transcript),
    ...(hasSegments(options) && { segments: transcript.segments.map(toJsonSegment) }),
  };
}

export type Granularities = Pick<Partial<FileOptions>, 'timestampGranularities'>;

/** Segments are left out only when the request asks for word times alone. */
export function hasSegments({ timestampGranularities = [] }: Granularities): boolean {
  return !hasWords({ timestampGranularities }) || timestampGranularities.includes('segment');
}

export function hasWords({ timestampGranularities = [] }: Granularities): boolean {
  return timestampGranularities.includes('word');
}

/** The fields that every JSON format begins with. */
export function summarise(transcript: Transcript): TranscriptSummary {
  return {
    task: 'transcribe',
    duration: roundedToMilliseconds(transcript.durationSeconds),
    text: toText(transcript),
    ...(transcript.numSpeakers !== undefined && { num_speakers: transcript.numSpeakers }),
  };
}

export function toJsonSegment(segment: Segment, id: number): JsonSegment {
  return {
    id,
    ...shownTimes(segment),
    text: segment.text.trim(),
    ...(segment.speaker !== undefined && { speaker: segment.speaker }),
  };
}
