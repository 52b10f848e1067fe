import type { FastifyError } from 'fastify';
import type { ErrorBody } from '../../../wire/error-body.ts';
import { type ErrorCode, ServiceError } from '../../errors.ts';

/** Whatever was thrown, as the error that the client may see. What is not known is `internal_error`, and the cause stays inside. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, validation, validationContext } = (error ?? {}) as FastifyError;
  if (validation) return invalidValue(validation, validationContext ?? 'request');
  const known = Object.hasOwn(frameworkErrors, code ?? '') ? frameworkErrors[code!] : undefined;
  if (known) return new ServiceError(known.code, { ...(known.message && { message: known.message }) });
  return new ServiceError('internal_error', { cause: error });
}

export function errorBody({ message, type, param, wireCode }: ServiceError): ErrorBody {
  return { error: { message, type, ...(param !== undefined && { param }), code: wireCode } };
}

const defaultRetrySeconds: Partial<Record<ErrorCode, number>> = {
  overloaded: 2,
  unavailable: 2,
  shutting_down: 5,
};

/** The headers that go with an error: when to come back, and how to say who one is. */
export function errorHeaders(error: ServiceError): Record<string, string> {
  if (error.status === 401) return { 'www-authenticate': 'Bearer' };
  if (error.status !== 429 && error.status !== 503) return {};
  const seconds = error.retryAfterSeconds ?? defaultRetrySeconds[error.code] ?? 1;
  const wholeSeconds = String(Math.max(1, Math.ceil(seconds)));
  if (error.status === 503) {
    return { 'retry-after': wholeSeconds, ...(error.code === 'shutting_down' && { connection: 'close' }) };
  }
  return {
    'x-ratelimit-retry-after': wholeSeconds,
    'retry-after': wholeSeconds,
    'retry-after-ms': String(Math.max(1, Math.ceil(seconds * 1000))),
    ...(error.code === 'quota_exceeded' && { 'x-should-retry': 'false' }),
  };
}

const frameworkErrors: Record<string, { code: ErrorCode; message?: string }> = {
  FST_ERR_BAD_URL: { code: 'not_found', message: 'The address of the request is not well formed.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'file_too_large' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'invalid_multipart' },
};

type Validation = NonNullable<FastifyError['validation']>;

function invalidValue(validation: Validation, part: string): ServiceError {
  const [first] = validation;
  const missing = first?.params.missingProperty;
  const param = typeof missing === 'string' ? missing : first?.instancePath.split('/')[1];
  return new ServiceError('invalid_value', {
    ...(param && { param }),
    message: `${param ?? `The ${part}`} ${first?.message ?? 'is not allowed'}.`,
  });
}
