/** The names that existing clients switch on, beside the codes of the wire. */
const upperCaseNames = {
  invalid_api_key: 'INVALID_API_KEY',
  project_not_found: 'PROJECT_NOT_FOUND',
  quota_exceeded: 'QUOTA_EXCEEDED',
  rate_limit_exceeded: 'RATE_LIMIT_EXCEEDED',
} as const;

export type UpperCaseName = (typeof upperCaseNames)[keyof typeof upperCaseNames];

export type SiannErrorDetails = {
  message: string;
  /** As the service spells it; `connection_failed` and `connection_lost` are the client's own. */
  code: string;
  type?: string | undefined;
  param?: string | undefined;
  /** Of the answer; undefined where there was none. */
  status?: number | undefined;
  /** Finds the request in the log of the service. */
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
};

/** Whatever goes wrong between a program and the service. */
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

export type ErrorBody = { error: { message: string; type?: string; param?: string; code?: string } };

/** The error in an answer; one that is none of ours (a proxy's page) keeps its status. */
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

/** How long the service asks to wait, by whichever of its headers is the most exact. */
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
