import type { OptionKind } from '../../wire/request-options.ts';
import { ServiceError } from '../errors/service-error.ts';

/** What the sender calls an option: `label` in sentences (`--speakers`), `param` in the field `param` of an error. */
export type CalledAs = { label: string; param: string };

type ChoiceKind = Extract<OptionKind, { values: readonly string[] }>;

const decimal = /^(\d{1,9}(\.\d{0,18})?|\.\d{1,18})$/;

/** Reads an option's value from the texts that were sent for it; undefined when none was. Throws invalid_value, or the option's own error. */
export function readValue(option: OptionKind, texts: readonly string[], called: CalledAs): unknown {
  if (option.kind === 'list' || option.kind === 'choices') {
    checkLength(texts.join(), option.maxLength, called);
    const items = texts.flatMap(splitList);
    if (items.length === 0) return undefined;
    return option.kind === 'list' ? items : items.map((item) => choose(option, item, called));
  }
  const text = onlyText(texts, called);
  if (text === undefined) return undefined;
  switch (option.kind) {
    case 'text':
      return checkLength(text, option.maxLength, called);
    case 'number':
    case 'whole':
      return readNumber(option, text.trim(), called);
    case 'flag':
      return readFlag(text.trim().toLowerCase(), called);
    case 'choice':
      return choose(option, text.trim(), called);
  }
}

export function invalidValue(param: string, message: string): ServiceError {
  return new ServiceError('invalid_value', { param, message });
}

/** An empty text counts as not sent, because browsers also send the empty fields of a form. */
function onlyText(texts: readonly string[], { label, param }: CalledAs): string | undefined {
  if (texts.length > 1) throw invalidValue(param, `${label} was sent ${texts.length} times. Send it once.`);
  return texts[0]?.trim() ? texts[0] : undefined;
}

function splitList(text: string): string[] {
  return text
    .split(/[,，、]/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function checkLength(text: string, maxLength = Number.POSITIVE_INFINITY, { label, param }: CalledAs): string {
  if (text.length <= maxLength) return text;
  throw invalidValue(param, `${label} is longer than ${maxLength} characters. Shorten it.`);
}

function readNumber(
  { kind, minimum, maximum }: { kind: 'number' | 'whole'; minimum: number; maximum: number },
  text: string,
  { label, param }: CalledAs,
): number {
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum && (kind === 'number' || Number.isInteger(value))) return value;
  const whole = kind === 'whole' ? 'whole ' : '';
  throw invalidValue(param, `${label} is a ${whole}number from ${minimum} to ${maximum}.`);
}

function readFlag(text: string, { label, param }: CalledAs): boolean {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw invalidValue(param, `${label} is true or false.`);
}

function choose(option: ChoiceKind, text: string, { label, param }: CalledAs): string {
  const spelling = (value: string) => (option.anyCase ? value.toLowerCase() : value);
  const names = spellings(option);
  const name = names.find((candidate) => spelling(candidate) === spelling(text));
  if (name !== undefined) return option.synonyms?.[name] ?? name;
  if (option.unknown) throw new ServiceError(option.unknown);
  throw invalidValue(param, `${label} is one of ${names.join(', ')}.`);
}

/** The values and their synonyms. */
export function spellings({ values, synonyms = {} }: ChoiceKind): string[] {
  return [...values, ...Object.keys(synonyms)];
}
