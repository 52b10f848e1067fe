import type { Language } from './transcription.ts';

export type ListenOptions = {
  language?: Language;
  /** Samples a second of what is written; 16000 unless told otherwise. */
  sampleRate?: number;
  /** LINEAR16 is little-endian mono; MULAW one byte a sample. A FLAC stream cannot be taken up again after a lost connection. */
  encoding?: 'LINEAR16' | 'MULAW' | 'FLAC';
  interimResults?: boolean;
  speakerDiarization?: boolean;
  /** How long a pause ends what was said in one go. */
  endpointingMs?: number;
  /** Times for every word of a final. */
  words?: boolean;
  hotwords?: readonly string[];
  /** How long to try to reach the service again before giving up; 60 s unless told otherwise. */
  reconnectForMs?: number;
  signal?: AbortSignal;
};

/** Times are seconds from the first sample that was written, whatever happened to the connection. */
export type LiveEvent =
  | { type: 'session.begin'; session_id: string; expires_at: string; config: object; limits: SessionLimits }
  | { type: 'speech.started'; at: number }
  | TranscriptEvent
  | { type: 'speaker.revision'; revisions: { segment_id: number; speaker: number }[] }
  | { type: 'warning'; code: string; message: string }
  | {
      type: 'session.end';
      reason: string;
      audio_seconds: number;
      billed_seconds: number;
      num_speakers?: number;
    }
  /** The client is trying again; what is written meanwhile is kept. */
  | { type: 'connection.lost'; message: string }
  /** Everything from this time on is being heard (again). */
  | { type: 'connection.restored'; from: number };

/** A partial replaces the one before it with the same `segment_id`; a final never changes. */
export type TranscriptEvent = {
  type: 'transcript';
  seq: number;
  segment_id: number;
  is_final: boolean;
  speech_final: boolean;
  from_finalize: boolean;
  start: number;
  end: number;
  text: string;
  language: string;
  speaker?: number;
  words?: { word: string; start: number; end: number }[];
};

export type SessionLimits = {
  max_frame_bytes: number;
  max_buffered_seconds: number;
  idle_seconds: number;
  max_session_seconds: number;
};

/** What the service itself sends. */
export type WireEvent =
  | Exclude<LiveEvent, { type: `connection.${string}` }>
  | { type: 'error'; error: { message: string; type?: string; param?: string; code: string } };

export function queryOf(options: ListenOptions): URLSearchParams {
  const given = {
    language: options.language,
    sample_rate: options.sampleRate,
    encoding: options.encoding,
    interim_results: options.interimResults,
    speaker_diarization: options.speakerDiarization,
    endpointing_ms: options.endpointingMs,
    words: options.words,
    hotwords: options.hotwords?.join(','),
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query;
}
