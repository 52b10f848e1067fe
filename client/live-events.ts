import type { StreamOptions } from '../wire/option-types.ts';
import type { SessionEvent } from '../wire/stream-events.ts';

export type ListenOptions = Partial<StreamOptions> & {
  /** How long to try to connect again before giving up. The default is 60 s. */
  reconnectForMs?: number;
  signal?: AbortSignal;
};

/** Times are seconds from the first sample that was written, even if the connection was lost meanwhile. */
export type LiveEvent =
  | Exclude<SessionEvent, { type: 'error' }>
  /** The client connects again. Audio that is written meanwhile is kept. */
  | { type: 'connection.lost'; message: string }
  /** The audio from this time on is recognised now, some of it again. */
  | { type: 'connection.restored'; from: number };
