import type { SessionEvent, TranscriptEvent } from '../../wire/stream-events.ts';
import { createAsyncQueue } from '../async/async-queue.ts';

/** An event that may still be dropped. Transcripts get their number when they are read. */
export type QueuedEvent = Exclude<SessionEvent, TranscriptEvent> | QueuedTranscript;
type QueuedTranscript = Omit<TranscriptEvent, 'seq'>;

/** Between a session and a client that may read slowly. A partial is dropped when a newer one has come; all else waits. */
export type EventQueue = {
  push(event: QueuedEvent): void;
  /** Nothing follows. */
  end(): void;
  /** Events that the client has not got yet. */
  readonly size: number;
  /** For one reader. */
  events(): AsyncGenerator<SessionEvent>;
};

/** A place in the queue. It is empty when what it held was overtaken. */
type Place = { event: QueuedEvent | undefined };

export function createEventQueue(): EventQueue {
  const queue = createAsyncQueue<Place>();
  let transcripts = 0;
  /** The one partial that waits, if there is one: each newer transcript of its segment replaces it. */
  let partial: { place: Place; segmentId: number } | undefined;

  const push = (event: QueuedEvent) => {
    const place: Place = { event };
    queue.push(place);
    return place;
  };
  const pushTranscript = (event: QueuedTranscript) => {
    const overtaken = partial?.segmentId === event.segment_id ? partial.place : undefined;
    if (overtaken) overtaken.event = undefined;
    let place = overtaken;
    // What came after the partial stays before the newer transcript.
    if (place && place === queue.last) place.event = event;
    else place = push(event);
    partial = event.is_final ? undefined : { place, segmentId: event.segment_id };
  };

  return {
    push(event) {
      if (event.type === 'transcript') pushTranscript(event);
      else push(event);
    },
    end() {
      partial = undefined;
      queue.end();
    },
    get size() {
      return queue.size;
    },
    async *events() {
      for await (const place of queue.items()) {
        if (place === partial?.place) partial = undefined;
        const { event } = place;
        if (event) yield event.type === 'transcript' ? { ...event, seq: ++transcripts } : event;
      }
    },
  };
}
