import { keyScopes } from '../../../wire/account.ts';
import { ServiceError } from '../../errors/service-error.ts';

const dayMs = 24 * 3_600_000;
const longestGraceMs = 30 * dayMs;
const isoTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The time as it is kept, or null for a key that does not expire. Throws invalid_value. */
export function checkedExpiry(time: string | null | undefined, nowMs: number): string | null {
  if (time === undefined || time === null) return null;
  const expiresAtMs = isoTime.test(time) ? Date.parse(time) : Number.NaN;
  if (expiresAtMs > nowMs && expiresAtMs < nowMs + 36_500 * dayMs) return new Date(expiresAtMs).toISOString();
  throw new ServiceError('invalid_value', {
    param: 'expiresAt',
    message: `"${time}" is not a time in the future. Write it as 2027-01-31 or 2027-01-31T12:00:00Z.`,
  });
}

/** The scopes as they are kept, or null for a key that may do everything. Throws invalid_value. */
export function checkedScopes(scopes: readonly string[] | null | undefined): string | null {
  if (scopes === undefined || scopes === null) return null;
  const known = keyScopes.filter((scope) => scopes.includes(scope));
  if (known.length > 0 && scopes.every((scope) => (keyScopes as readonly string[]).includes(scope)))
    return JSON.stringify(known);
  throw new ServiceError('invalid_value', {
    param: 'scopes',
    message: `Scopes are one or more of ${keyScopes.join(', ')}. Leave them out for a key that may do everything.`,
  });
}

export function checkedGrace(graceMs: number): number {
  if (graceMs > 0 && graceMs <= longestGraceMs) return graceMs;
  throw new ServiceError('invalid_value', {
    param: 'grace',
    message: 'An old key can live on for up to 30 days. To end it now, regenerate the key.',
  });
}
