import { ServiceError } from '../errors/service-error.ts';

const retryAfterSeconds = 5;

/** For work that the cluster cannot do now, and can probably do in a moment. */
export function unavailable(options: { message?: string; cause?: unknown } = {}): ServiceError {
  return new ServiceError('unavailable', { retryAfterSeconds, ...options });
}
