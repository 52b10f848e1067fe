import type { SessionEvent, TranscriptEvent } from '../../wire/stream-events.ts';

/** An event before it is known whether the client will read it: transcripts are counted when they are taken. */
export type QueuedEvent = Exclude<SessionEvent, TranscriptEvent> | Omit<TranscriptEvent, 'seq'>;

/** Between a session and a client that may read slowly: a partial that was overtaken is dropped, everything else waits. */
export type EventQueue = {
  push(event: QueuedEvent): void;
  /** Nothing follows. */
  end(): void;
  /** For one reader. */
  events(): AsyncGenerator<SessionEvent>;
};

export function createEventQueue(): EventQueue {
  let waiting: QueuedEvent[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  let transcripts = 0;

  return {
    push(event) {
      if (ended) return;
      if (event.type === 'transcript') waiting = waiting.filter((earlier) => !isOvertaken(earlier, event));
      waiting.push(event);
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    async *events() {
      for (;;) {
        const event = waiting.shift();
        if (event) yield event.type === 'transcript' ? { ...event, seq: ++transcripts } : event;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

function isOvertaken(earlier: QueuedEvent, later: Omit<TranscriptEvent, 'seq'>): boolean {
  return earlier.type === 'transcript' && !earlier.is_final && earlier.segment_id === later.segment_id;
}
