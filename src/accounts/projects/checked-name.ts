import { ServiceError } from '../../errors/service-error.ts';

/** The name of a project or a key, as it is kept: one line that people can read. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length > 0 && trimmed.length <= 100 && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new ServiceError('invalid_value', {
    message: 'A name has 1 to 100 characters on one line.',
    param: 'name',
  });
}
