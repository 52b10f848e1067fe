import type { ErrorBody } from '../../wire/error-body.ts';
import type { EndReason } from '../../wire/stream-events.ts';
import { type CatalogueEntry, catalogue, type StreamErrorCode } from './catalogue.ts';
import { errorBody, type ServiceError } from './service-error.ts';

export type Ending = {
  /** Of the WebSocket (RFC 6455, section 7.4). */
  closeCode: number;
  /** What was received is still made final; otherwise work stops at once. */
  graceful: boolean;
  /** What the client is told, where it is told of an error and none is at hand that says more. */
  error?: StreamErrorCode;
};

/** Every reason for which a stream ends, and how it then ends. */
export const endings = {
  closed_by_client: { closeCode: 1000, graceful: true },
  draining: { closeCode: 1001, graceful: true },
  bad_audio: { closeCode: 1003, graceful: true, error: 'unreadable_audio' },
  /** Seen by the log only, since nobody is there to be told. */
  connection_lost: { closeCode: 1006, graceful: false },
  bad_message: { closeCode: 1007, graceful: false, error: 'invalid_message' },
  frame_too_large: { closeCode: 1009, graceful: false, error: 'frame_too_large' },
  internal_error: { closeCode: 1011, graceful: false, error: 'stream_failed' },
  overloaded: { closeCode: 1013, graceful: false, error: 'overloaded' },
  key_revoked: { closeCode: 4401, graceful: false, error: 'key_revoked' },
  idle: { closeCode: 4408, graceful: false, error: 'idle_timeout' },
  session_too_long: { closeCode: 4409, graceful: true, error: 'session_too_long' },
  quota_exceeded: { closeCode: 4429, graceful: true, error: 'quota_exceeded' },
  audio_too_far_ahead: { closeCode: 4429, graceful: false, error: 'audio_too_far_ahead' },
} as const satisfies Record<EndReason, Ending>;

/** What a stream says before it ends for that reason. */
export function endingError(
  reason: EndReason,
  error: ServiceError | undefined,
): ErrorBody['error'] | undefined {
  if (error) return errorBody(error).error;
  const { error: code }: Ending = endings[reason];
  if (code === undefined) return undefined;
  const { message, type, param, wireCode = code }: CatalogueEntry = catalogue[code];
  return { message, type, ...(param !== undefined && { param }), code: wireCode };
}
