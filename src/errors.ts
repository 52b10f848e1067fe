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
  invalid_value: {
    status: 400,
    type: 'invalid_request_error',
    message: 'A field has a value that is not allowed.',
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
  shutting_down: {
    status: 503,
    type: 'server_error',
    message: 'The service is restarting. Try again shortly.',
    retryable: true,
  },
} as const satisfies Record<string, Entry>;

export type ErrorCode = keyof typeof catalogue;

export type ServiceErrorOptions = { message?: string; param?: string; cause?: unknown };

export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly retryable: boolean;

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
  }

  /** The code as the wire spells it: a file that is too long and one that is too large share `file_too_large`. */
  get wireCode(): string {
    return this.code === 'file_too_long' ? 'file_too_large' : this.code;
  }
}
