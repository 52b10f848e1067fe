import type { ErrorBody } from '../errors.ts';
import { joinText } from '../speech/text/join-text.ts';
import type { Segment } from '../speech/transcript/segment.ts';
import { type DiarizedSegment, toDiarizedSegment } from './diarized-json.ts';
import { toMilliseconds } from './times.ts';

/** OpenAI's events of a streamed transcription. */
export type StreamEvent = DeltaEvent | DiarizedSegment | DoneEvent | ErrorEvent;

/** All deltas, one after another, are the text. */
export type DeltaEvent = { type: 'transcript.text.delta'; delta: string; segment_id: string };

export type DoneEvent = {
  type: 'transcript.text.done';
  text: string;
  usage: { type: 'duration'; seconds: number };
};

export type ErrorEvent = { type: 'error' } & ErrorBody;

export type EventWriter = {
  segment(segment: Segment): StreamEvent[];
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
        usage: { type: 'duration', seconds: toMilliseconds(durationSeconds) },
      };
    },
  };
}
