import { ServiceError } from '../../errors/service-error.ts';
import type { FormFields } from '../transcription/upload/form-reader.ts';

const decimal = /^(\d{1,9}(\.\d{0,18})?|\.\d{1,18})$/;

/** The one value of a field; one that is empty counts as not sent, as forms in browsers send those nobody filled in. */
export function readText(fields: FormFields, name: string): string | undefined {
  const values = fields.get(name) ?? [];
  if (values.length > 1)
    throw invalidValue(name, `\`${name}\` was sent ${values.length} times. Send it once.`);
  return values[0]?.trim() ? values[0] : undefined;
}

export function readChoice<T extends string>(
  fields: FormFields,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = readText(fields, name)?.trim();
  return value === undefined ? undefined : choose(name, value, allowed);
}

/** Every value of a list: `name[]`, or `name` with commas. */
export function readList(fields: FormFields, name: string): string[] {
  return [...(fields.get(name) ?? []), ...(fields.get(`${name}[]`) ?? [])]
    .flatMap((value) => value.split(/[,，、]/))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

export function readBoolean(fields: FormFields, name: string): boolean | undefined {
  const value = readText(fields, name)?.trim().toLowerCase();
  if (value === undefined) return undefined;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw invalidValue(name, `\`${name}\` is true or false.`);
}

export function readNumber(
  fields: FormFields,
  name: string,
  { minimum, maximum, whole = false }: { minimum: number; maximum: number; whole?: boolean },
): number | undefined {
  const text = readText(fields, name)?.trim();
  if (text === undefined) return undefined;
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum && (!whole || Number.isInteger(value))) return value;
  throw invalidValue(name, `\`${name}\` is a ${whole ? 'whole ' : ''}number from ${minimum} to ${maximum}.`);
}

export function choose<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const chosen = allowed.find((candidate) => candidate === value);
  if (chosen === undefined) throw invalidValue(name, `\`${name}\` is one of ${allowed.join(', ')}.`);
  return chosen;
}

export function invalidValue(param: string, message: string): ServiceError {
  return new ServiceError('invalid_value', { param, message });
}
