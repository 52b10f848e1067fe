import type { ErrorBody } from '../../wire/error-body.ts';
import { type CatalogueEntry, catalogue, type ErrorCode, type ErrorType } from './catalogue.ts';

export type ServiceErrorOptions = {
  /** Instead of the catalogue's sentence. */
  message?: string;
  param?: string;
  /** When a retry can succeed, where that is known. */
  retryAfterSeconds?: number;
  cause?: unknown;
};

/** An error of the catalogue: thrown where it is known, and translated once, where it leaves the service. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The code as clients read it. */
  readonly wireCode: string;
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    const entry: CatalogueEntry & { status: number } = catalogue[code];
    super(
      options.message ?? entry.message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'ServiceError';
    this.code = code;
    this.wireCode = entry.wireCode ?? code;
    this.status = entry.status;
    this.type = entry.type;
    this.param = options.param ?? entry.param;
    this.retryable = entry.retryable ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds ?? entry.retryAfterSeconds;
  }
}

export function hasCode(error: unknown, code: ErrorCode): error is ServiceError {
  return error instanceof ServiceError && error.code === code;
}

export function errorBody({ message, type, param, wireCode }: ServiceError): ErrorBody {
  return { error: { message, type, ...(param !== undefined && { param }), code: wireCode } };
}
