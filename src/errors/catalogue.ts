/** Everything that can go wrong, each once: the status and the sentence with which clients are told. */

export type ErrorType =
  | 'invalid_request_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'server_error';

export type CatalogueEntry = {
  /** Of the HTTP answer. Without one, the error is only ever told to a stream. */
  status?: number;
  type: ErrorType;
  message: string;
  param?: string;
  /** What clients read in its place: errors that ask the same of a client share a code. */
  wireCode?: string;
  /** Whether the same request may succeed later, and after how long if nothing better is known. */
  retryable?: true;
  retryAfterSeconds?: number;
};

export const catalogue = {
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
    wireCode: 'file_too_large',
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
    retryAfterSeconds: 2,
  },
  unavailable: {
    status: 503,
    type: 'server_error',
    message: 'The service cannot reach a part of itself at the moment. Try again shortly.',
    wireCode: 'overloaded',
    retryable: true,
    retryAfterSeconds: 2,
  },
  shutting_down: {
    status: 503,
    type: 'server_error',
    message: 'The service is restarting. Try again shortly.',
    retryable: true,
    retryAfterSeconds: 5,
  },

  // What Node.js could not read as HTTP.
  malformed_request: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request is not well-formed HTTP.',
    wireCode: 'invalid_value',
  },
  request_timeout: {
    status: 408,
    type: 'invalid_request_error',
    message: 'The request took too long to arrive.',
    wireCode: 'invalid_value',
  },
  chunk_extensions_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: 'The chunk extensions of the body are too large.',
    wireCode: 'invalid_value',
  },
  headers_too_large: {
    status: 431,
    type: 'invalid_request_error',
    message: 'The headers of the request are too large.',
    wireCode: 'invalid_value',
  },

  // Only in streams; endings.ts has the close code of each.
  idle_timeout: {
    type: 'invalid_request_error',
    message: 'Neither audio nor a keepalive came for too long. Send a keepalive while nobody speaks.',
  },
  session_too_long: {
    type: 'invalid_request_error',
    message: 'The stream has reached its greatest length. Open another to go on.',
  },
  key_revoked: {
    type: 'invalid_request_error',
    message: 'The API key was revoked or regenerated. Connect again with a valid key.',
    wireCode: 'invalid_api_key',
  },
  audio_too_far_ahead: {
    type: 'rate_limit_error',
    message: 'Audio came much quicker than it is spoken. Send it at the pace of speech, or as a file.',
  },
  unreadable_audio: {
    type: 'invalid_request_error',
    message: 'The audio cannot be read. Send what the parameter `encoding` says.',
    param: 'encoding',
    wireCode: 'invalid_value',
  },
  invalid_message: {
    type: 'invalid_request_error',
    message:
      'A text message must be JSON with the type keepalive, finalize or close. Send audio as binary frames.',
  },
  frame_too_large: {
    type: 'invalid_request_error',
    message: 'A frame is larger than 256 KiB. Send audio in smaller frames.',
  },
  stream_failed: {
    type: 'server_error',
    message: 'Something went wrong inside the service. Connect again; if it goes on, report the session id.',
    wireCode: 'internal_error',
  },
} as const satisfies Record<string, CatalogueEntry>;

type Catalogue = typeof catalogue;

/** Of an error that can be told to a stream, which is every one. */
export type StreamErrorCode = keyof Catalogue;

/** Of an error that can be the answer to a request. */
export type ErrorCode = {
  [Code in keyof Catalogue]: Catalogue[Code] extends { status: number } ? Code : never;
}[keyof Catalogue];
