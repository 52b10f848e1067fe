import type { SessionEvent } from '../wire/stream-events.ts';
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
  | Exclude<SessionEvent, { type: 'error' }>
  /** The client is trying again; what is written meanwhile is kept. */
  | { type: 'connection.lost'; message: string }
  /** Everything from this time on is being heard (again). */
  | { type: 'connection.restored'; from: number };

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
