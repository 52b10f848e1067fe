import type { ErrorBody } from './error-body.ts';
import type { StreamOptionsEcho } from './option-types.ts';

/** The messages that a client of a stream receives, exactly as they are on the wire. Times are seconds from the stream's first sample. */
export type SessionEvent =
  | {
      type: 'session.begin';
      session_id: string;
      expires_at: string;
      config: StreamOptionsEcho;
      limits: SessionLimitsEcho;
    }
  | { type: 'speech.started'; at: number }
  | TranscriptEvent
  | { type: 'speaker.revision'; revisions: { segment_id: number; speaker: number }[] }
  | { type: 'warning'; code: WarningCode; message: string }
  | ({ type: 'error' } & ErrorBody)
  | {
      type: 'session.end';
      reason: EndReason;
      audio_seconds: number;
      billed_seconds: number;
      num_speakers?: number;
    };

/** A partial replaces the one before it with the same `segment_id`; a final never changes. */
export type TranscriptEvent = {
  type: 'transcript';
  /** Counts every transcript event of the session. */
  seq: number;
  segment_id: number;
  is_final: boolean;
  /** The speaker paused for the endpointing time: this is the last final of the utterance. */
  speech_final: boolean;
  /** The client asked for this final with `finalize`. */
  from_finalize: boolean;
  start: number;
  end: number;
  text: string;
  language: string;
  speaker?: number;
  words?: { word: string; start: number; end: number }[];
};

export type SessionLimitsEcho = {
  max_frame_bytes: number;
  max_buffered_seconds: number;
  idle_seconds: number;
  max_session_seconds: number;
};

export type WarningCode =
  | 'unknown_parameter'
  | 'audio_ahead_of_real_time'
  | 'idle'
  | 'session_ends_soon'
  | 'quota_ends_soon'
  | 'draining';

export type EndReason =
  | 'closed_by_client'
  | 'connection_lost'
  | 'idle'
  | 'session_too_long'
  | 'draining'
  | 'key_revoked'
  | 'quota_exceeded'
  | 'audio_too_far_ahead'
  | 'bad_audio'
  | 'bad_message'
  | 'frame_too_large'
  | 'overloaded'
  | 'internal_error';
