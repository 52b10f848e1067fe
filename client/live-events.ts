import type { StreamOptions } from '../wire/option-types.ts';
import type { SessionEvent } from '../wire/stream-events.ts';

export type ListenOptions = Partial<StreamOptions> & {
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
