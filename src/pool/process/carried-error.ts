import type { ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** An error as plain data, since an Error loses its class and own properties on the way between processes. */
export type CarriedError = {
  name: string;
  message: string;
  stack?: string;
  service?: { code: ErrorCode; param?: string; retryAfterSeconds?: number };
  cause?: CarriedError;
};

const deepestCause = 5;

export function packError(thrown: unknown, depth = 0): CarriedError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown) };
  const carried: CarriedError = { name: thrown.name, message: thrown.message };
  if (thrown.stack !== undefined) carried.stack = thrown.stack;
  if (thrown instanceof ServiceError) {
    const { code, param, retryAfterSeconds } = thrown;
    carried.service = {
      code,
      ...(param !== undefined && { param }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  }
  if (thrown.cause !== undefined && depth < deepestCause) carried.cause = packError(thrown.cause, depth + 1);
  return carried;
}

export function unpackError(carried: CarriedError): Error {
  const { name, message, stack, service } = carried;
  const options = carried.cause === undefined ? {} : { cause: unpackError(carried.cause) };
  const error = service
    ? new ServiceError(service.code, { ...service, ...options, message })
    : new Error(message, options);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
