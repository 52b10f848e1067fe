import type { SessionEvent, TranscriptEvent } from '../wire/stream-events.ts';
import type { LiveEvent } from './live-events.ts';

/**
 * Joins several sessions into one stream. Each session begins where the finals of the one before it ended. So its times are
 * shifted by that much, and its segments get the numbers after the last final.
 */
type StreamTimes = {
  /** Everything before this is final or silent, in seconds of the stream. */
  readonly coveredSeconds: number;
  /** True from the beginning of an utterance until its last final. */
  readonly speaking: boolean;
  /** Begins a session whose first sample is at this time of the stream. */
  beginSession(atSeconds: number): void;
  translate(event: Exclude<SessionEvent, { type: 'error' | 'session.begin' }>): LiveEvent | undefined;
};

/** The service notices speech a little after it has begun. */
const onsetSeconds = 0.5;

export function createStreamTimes(): StreamTimes {
  let covered = 0;
  let speaking = false;
  let base = 0;
  let firstSegment = 0;
  let nextSegment = 0;
  let seq = 0;
  let billedBefore = 0;
  let lastOnset = -1;

  const shifted = (seconds: number) => Math.round((seconds + base) * 1000) / 1000;

  const translateTranscript = (event: TranscriptEvent): TranscriptEvent => {
    const segment_id = firstSegment + event.segment_id;
    const end = shifted(event.end);
    if (event.is_final) {
      covered = Math.max(covered, end);
      nextSegment = Math.max(nextSegment, segment_id + 1);
    }
    speaking = !(event.is_final && event.speech_final);
    const words = event.words?.map((word) => ({
      ...word,
      start: shifted(word.start),
      end: shifted(word.end),
    }));
    return { ...event, seq: seq++, segment_id, start: shifted(event.start), end, ...(words && { words }) };
  };

  return {
    get coveredSeconds() {
      return covered;
    },
    get speaking() {
      return speaking;
    },
    beginSession(atSeconds) {
      base = atSeconds;
      firstSegment = nextSegment;
      speaking = false;
    },
    translate(event) {
      switch (event.type) {
        case 'transcript':
          return translateTranscript(event);
        case 'speech.started': {
          const at = shifted(event.at);
          // Nothing was said between the last final and this.
          if (!speaking) covered = Math.max(covered, at - onsetSeconds);
          speaking = true;
          // The same speech was recognised again after a lost connection.
          if (at <= lastOnset + onsetSeconds) return undefined;
          lastOnset = at;
          return { ...event, at };
        }
        case 'speaker.revision': {
          const revisions = event.revisions.map(({ segment_id, speaker }) => ({
            segment_id: firstSegment + segment_id,
            speaker,
          }));
          return { ...event, revisions };
        }
        case 'session.end': {
          billedBefore += event.billed_seconds;
          return { ...event, audio_seconds: shifted(event.audio_seconds), billed_seconds: billedBefore };
        }
        default:
          return event;
      }
    },
  };
}
