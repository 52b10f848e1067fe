import type { SessionEvent, TranscriptEvent } from '../../wire/stream-events.ts';
import { createAsyncQueue } from '../async/async-queue.ts';

/** An event that may still be dropped. Transcripts get their number when they are read. */
export type QueuedEvent = Exclude<SessionEvent, TranscriptEvent> | Omit<TranscriptEvent, 'seq'>;

/** Between a session and a client that may read slowly. A partial is dropped when a newer one has come; all else waits. */
export type EventQueue = {
  push(event: QueuedEvent): void;
  /** Nothing follows. */
  end(): void;
  /** For one reader. */
  events(): AsyncGenerator<SessionEvent>;
};

export function createEventQueue(): EventQueue {
  const queue = createAsyncQueue<QueuedEvent>();
  let transcripts = 0;

  return {
    push(event) {
      if (event.type === 'transcript') queue.remove((earlier) => isOvertaken(earlier, event));
      queue.push(event);
    },
    end: queue.end,
    async *events() {
      for await (const event of queue.items())
        yield event.type === 'transcript' ? { ...event, seq: ++transcripts } : event;
    },
  };
}

function isOvertaken(earlier: QueuedEvent, later: Omit<TranscriptEvent, 'seq'>): boolean {
  return earlier.type === 'transcript' && !earlier.is_final && earlier.segment_id === later.segment_id;
}
