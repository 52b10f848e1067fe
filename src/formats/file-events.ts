import type { DoneEvent, FileEvent } from '../../wire/transcripts.ts';
import { joinText } from '../speech/text/join-text.ts';
import type { Segment } from '../speech/transcript/segment.ts';
import { toDiarizedSegment } from './diarized-json.ts';
import { roundedToMilliseconds } from './times.ts';

type EventWriter = {
  segment(segment: Segment): FileEvent[];
  done(durationSeconds: number): DoneEvent;
};

/** Numbers the segments and joins their texts as the other formats do. */
export function createEventWriter(): EventWriter {
  let last = '';
  let full = '';
  let count = 0;
  return {
    segment(segment) {
      const text = segment.text.trim();
      if (text === '') return [];
      const delta = joinText([last, text]).slice(last.length);
      const written = toDiarizedSegment(segment, count++);
      last = text;
      full += delta;
      return [{ type: 'transcript.text.delta', delta, segment_id: written.id }, written];
    },
    done(durationSeconds) {
      return {
        type: 'transcript.text.done',
        text: full,
        usage: { type: 'duration', seconds: roundedToMilliseconds(durationSeconds) },
      };
    },
  };
}
