/** The errors of Fastify and of Node's HTTP server, as errors of the catalogue. */
import type { ErrorCode } from './catalogue.ts';
import { ServiceError, type ServiceErrorOptions } from './service-error.ts';

/** What Fastify's errors have, as far as it is needed. */
type FrameworkError = {
  code?: string;
  validation?: { instancePath: string; message?: string; params: Record<string, unknown> }[];
  validationContext?: string;
};

/** Whatever was thrown, as the error that the client may see. What is not known is `internal_error`, and the cause stays inside. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code = '', validation, validationContext } = (error ?? {}) as FrameworkError;
  if (validation) return invalidValue(validation, validationContext ?? 'request');
  if (Object.hasOwn(fastifyErrors, code)) {
    const known = fastifyErrors[code]!;
    return new ServiceError(known.code, known);
  }
  return new ServiceError('internal_error', { cause: error });
}

/** What Node's server says of bytes that it cannot read as HTTP. */
export function toClientError({ code = '' }: { code?: string }): ServiceError {
  return new ServiceError(Object.hasOwn(nodeErrors, code) ? nodeErrors[code]! : 'malformed_request');
}

const fastifyErrors: Record<string, { code: ErrorCode } & ServiceErrorOptions> = {
  FST_ERR_BAD_URL: { code: 'not_found', message: 'The address of the request is not well formed.' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'file_too_large' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'invalid_multipart' },
};

const nodeErrors: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'chunk_extensions_too_large',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

function invalidValue(validation: NonNullable<FrameworkError['validation']>, part: string): ServiceError {
  const [first] = validation;
  const missing = first?.params.missingProperty;
  const param = typeof missing === 'string' ? missing : first?.instancePath.split('/')[1];
  return new ServiceError('invalid_value', {
    ...(param && { param }),
    message: `${param ?? `The ${part}`} ${first?.message ?? 'is not allowed'}.`,
  });
}
