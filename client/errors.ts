/** The names of errors that existing programs check, with the codes of the wire. */
const upperCaseNames = {
  invalid_api_key: 'INVALID_API_KEY',
  project_not_found: 'PROJECT_NOT_FOUND',
  quota_exceeded: 'QUOTA_EXCEEDED',
  rate_limit_exceeded: 'RATE_LIMIT_EXCEEDED',
} as const;

export type UpperCaseName = (typeof upperCaseNames)[keyof typeof upperCaseNames];

type SiannErrorDetails = {
  message: string;
  /** The code of the service. The client itself adds `connection_failed`, `connection_lost` and `stream_closed`. */
  code: string;
  type?: string | undefined;
  param?: string | undefined;
  /** The status of the answer. Undefined if there was no answer. */
  status?: number | undefined;
  /** The id of the request in the log of the service. */
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/** Every failure between a program and the service. */
export class SiannError extends Error {
  readonly code: string;
  /** INVALID_API_KEY, PROJECT_NOT_FOUND, QUOTA_EXCEEDED, RATE_LIMIT_EXCEEDED, or any other code in upper case. */
  override readonly name: string;
  readonly type: string | undefined;
  readonly param: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(details: SiannErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.name = nameOf(details.code);
    this.type = details.type;
    this.param = details.param;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

function nameOf(code: string): string {
  return Object.hasOwn(upperCaseNames, code)
    ? upperCaseNames[code as keyof typeof upperCaseNames]
    : code.toUpperCase();
}

type ErrorBody = { error: { message: string; type?: string; param?: string; code?: string } };

/** Reads the error in an answer. An answer that is not from the service (such as a proxy's page) gets the code `http_` and its status. */
export function errorOfAnswer(
  status: number,
  body: string,
  header: (name: string) => string | undefined,
): SiannError {
  const error = readBody(body)?.error;
  return new SiannError({
    message: error?.message ?? `The service answered with status ${status} and no explanation.`,
    code: error?.code ?? `http_${status}`,
    type: error?.type,
    param: error?.param,
    status,
    requestId: header('x-request-id'),
    retryAfterSeconds: retryAfterSeconds(header),
  });
}

/** How long the service asks to wait, from the most exact header that it sent. */
function retryAfterSeconds(header: (name: string) => string | undefined): number | undefined {
  const milliseconds = Number(header('retry-after-ms') ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds / 1000;
  const value = header('retry-after') ?? header('x-ratelimit-retry-after');
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

function readBody(body: string): ErrorBody | undefined {
  try {
    const parsed = JSON.parse(body) as ErrorBody;
    return typeof parsed.error?.message === 'string' ? parsed : undefined;
  } catch {
    return undefined;
  }
}
