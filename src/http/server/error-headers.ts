import type { ServiceError } from '../../errors/service-error.ts';

/** The headers that go with an error: when to try again, and how to authenticate. */
export function errorHeaders(error: ServiceError): Record<string, string> {
  if (error.status === 401) return { 'www-authenticate': 'Bearer' };
  if (error.status !== 429 && error.status !== 503) return {};
  const seconds = error.retryAfterSeconds ?? 1;
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
