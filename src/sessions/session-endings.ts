import type { EndReason, SessionEvent } from '../../wire/stream-events.ts';
import type { ServiceError } from '../errors.ts';

type ErrorBody = Extract<SessionEvent, { type: 'error' }>['error'];

type Ending = {
  closeCode: number;
  /** What has been heard is still made final; otherwise work stops at once. */
  graceful: boolean;
  error?: ErrorBody;
};

/** How each reason ends a stream, as the protocol has it. */
export const endings: Record<EndReason, Ending> = {
  closed_by_client: { closeCode: 1000, graceful: true },
  connection_lost: { closeCode: 1006, graceful: false },
  draining: { closeCode: 1001, graceful: true },
  idle: {
    closeCode: 4408,
    graceful: false,
    error: invalid(
      'idle_timeout',
      'Neither audio nor a keepalive came for too long. Send a keepalive while nobody speaks.',
    ),
  },
  session_too_long: {
    closeCode: 4409,
    graceful: true,
    error: invalid('session_too_long', 'The stream has reached its greatest length. Open another to go on.'),
  },
  key_revoked: {
    closeCode: 4401,
    graceful: false,
    error: invalid(
      'invalid_api_key',
      'The API key was revoked or regenerated. Connect again with a valid key.',
    ),
  },
  quota_exceeded: {
    closeCode: 4429,
    graceful: true,
    error: {
      type: 'rate_limit_error',
      code: 'quota_exceeded',
      message: 'The minutes of this month are used up. They begin again at the start of next month (UTC).',
    },
  },
  audio_too_far_ahead: {
    closeCode: 4429,
    graceful: false,
    error: {
      type: 'rate_limit_error',
      code: 'audio_too_far_ahead',
      message: 'Audio came much quicker than it is spoken. Send it at the pace of speech, or as a file.',
    },
  },
  bad_audio: {
    closeCode: 1003,
    graceful: true,
    error: invalid(
      'invalid_audio',
      'The audio cannot be read. Send what the parameter `encoding` says.',
      'encoding',
    ),
  },
  bad_message: {
    closeCode: 1007,
    graceful: false,
    error: invalid(
      'invalid_message',
      'A text message must be JSON with the type keepalive, finalize or close. Send audio as binary frames.',
    ),
  },
  frame_too_large: {
    closeCode: 1009,
    graceful: false,
    error: invalid('frame_too_large', 'A frame is larger than 256 KiB. Send audio in smaller frames.'),
  },
  overloaded: {
    closeCode: 1013,
    graceful: false,
    error: {
      type: 'server_error',
      code: 'overloaded',
      message: 'The service has too much work at the moment. Connect again shortly.',
    },
  },
  internal_error: {
    closeCode: 1011,
    graceful: false,
    error: {
      type: 'server_error',
      code: 'internal_error',
      message:
        'Something went wrong inside the service. Connect again; if it goes on, report the session id.',
    },
  },
};

/** What the client is told: the error at hand where it says more than the reason. */
export function errorOf(reason: EndReason, error: ServiceError | undefined): ErrorBody | undefined {
  if (!error) return endings[reason].error;
  const { message, type, wireCode: code, param } = error;
  return { message, type, ...(param !== undefined && { param }), code };
}

function invalid(code: string, message: string, param?: string): ErrorBody {
  return { message, type: 'invalid_request_error', ...(param && { param }), code };
}
