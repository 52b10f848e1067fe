import { ServiceError } from '../errors/service-error.ts';

const retryAfterSeconds = 5;

/** What the cluster cannot do now and may well do in a moment. */
export function unavailable(message?: string): ServiceError {
  return new ServiceError('unavailable', { retryAfterSeconds, ...(message !== undefined && { message }) });
}
