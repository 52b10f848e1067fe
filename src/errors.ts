/** Every failure the product can answer with, in one place: code → status, type, message, whether a retry can help. */

type Entry = { status: number; type: ErrorType; message: string; param?: string; retryable?: true };
export type ErrorType =
  | 'invalid_request_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error';

const catalogue = {
  invalid_file_format: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The file is not audio that can be read. Send mp3, wav, webm, flac or ogg.',
    param: 'file',
  },
  file_too_long: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The audio is longer than 4 hours. Cut it into shorter files.',
    param: 'file',
  },
  missing_file: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request has no file. Send the audio as the form field `file`.',
    param: 'file',
  },
  invalid_value: {
    status: 400,
    type: 'invalid_request_error',
    message: 'A field has a value that is not allowed.',
  },
  invalid_multipart: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The body is not a complete multipart form. Send multipart/form-data with a boundary.',
  },
  invalid_api_key: {
    status: 401,
    type: 'invalid_request_error',
    message:
      'The API key is missing or not valid here. Send `Authorization: Bearer <key>` with a key of this environment.',
  },
  not_signed_in: {
    status: 401,
    type: 'permission_error',
    message: 'You are not signed in, or were signed out. Sign in and try again.',
  },
  wrong_password: {
    status: 401,
    type: 'permission_error',
    message: 'The name or the password is wrong.',
  },
  ip_not_allowed: {
    status: 403,
    type: 'permission_error',
    message: 'This address is not on the allow-list of the project.',
  },
  invalid_signature: {
    status: 403,
    type: 'permission_error',
    message: 'The request signature is missing, wrong, too old, or was used before.',
  },
  https_required: {
    status: 403,
    type: 'permission_error',
    message: 'Requests must be made over HTTPS.',
  },
  insufficient_permission: {
    status: 403,
    type: 'permission_error',
    message: 'The key may not do this.',
  },
  project_not_found: {
    status: 404,
    type: 'not_found_error',
    message:
      'There is no such project for this key. Leave the project header out, or send the id of the project of the key.',
  },
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'There is no such model. The one model is siann-1.',
    param: 'model',
  },
  not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'There is nothing at this address.',
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: 'This address does not answer to that method.',
  },
  file_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: 'The file is larger than 100 MB. Send it compressed, or cut it into smaller files.',
    param: 'file',
  },
  unsupported_media_type: {
    status: 415,
    type: 'invalid_request_error',
    message: 'The body must be multipart/form-data.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many requests in a second for the plan of this key. Wait as long as the headers say.',
    retryable: true,
  },
  concurrency_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message:
      'Too many transcriptions and streams at once for the plan of this key. Wait until one has ended.',
    retryable: true,
  },
  quota_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'The minutes of this month are used up. They begin again at the start of next month (UTC).',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    message: 'Something went wrong inside the service. Try again; if it goes on, report the request id.',
    retryable: true,
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The service has too much work at the moment. Try again shortly.',
    retryable: true,
  },
  unavailable: {
    status: 503,
    type: 'server_error',
    message: 'The service cannot reach a part of itself at the moment. Try again shortly.',
    retryable: true,
  },
  shutting_down: {
    status: 503,
    type: 'server_error',
    message: 'The service is restarting. Try again shortly.',
    retryable: true,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export type ServiceErrorOptions = {
  message?: string;
  param?: string;
  /** When a retry can succeed, where that is known. */
  retryAfterSeconds?: number;
  cause?: unknown;
};

export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    const entry: Entry = catalogue[code];
    super(
      options.message ?? entry.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'ServiceError';
    this.code = code;
    this.status = entry.status;
    this.type = entry.type;
    this.param = options.param ?? entry.param;
    this.retryable = entry.retryable ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The code as the wire spells it: what asks the same of the client shares a code. */
  get wireCode(): string {
    if (this.code === 'file_too_long') return 'file_too_large';
    return this.code === 'unavailable' ? 'overloaded' : this.code;
  }
}

/** The database or Redis is away: the same may well work in a moment. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'unavailable';
}
