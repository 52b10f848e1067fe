import { ServiceError } from '../errors/service-error.ts';

const retryAfterSeconds = 5;

/** For work that the cluster cannot do now, and can probably do in a moment. */
export function unavailable(message?: string): ServiceError {
  return new ServiceError('unavailable', { retryAfterSeconds, ...(message !== undefined && { message }) });
}
