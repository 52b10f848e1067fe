import type { StreamOptions } from '../../wire/option-types.ts';
import type { SessionEvent } from '../../wire/stream-events.ts';
import { echoOptions } from '../options/read-options.ts';
import type { SessionLimits } from './session-limits.ts';

/** The first event of a stream: what was understood of its options, and its limits. */
export function beginEvent(id: string, config: StreamOptions, limits: SessionLimits): SessionEvent {
  return {
    type: 'session.begin',
    session_id: id,
    expires_at: new Date(Date.now() + limits.maxSessionSeconds * 1000).toISOString(),
    config: echoOptions(config),
    limits: {
      max_frame_bytes: limits.maxFrameBytes,
      max_buffered_seconds: limits.maxBufferedSeconds,
      idle_seconds: limits.idleSeconds,
      max_session_seconds: limits.maxSessionSeconds,
    },
  };
}
