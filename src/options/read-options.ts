import type { FileOptions, StreamOptions, StreamOptionsEcho } from '../../wire/option-types.ts';
import { type OptionKind, requestOptions } from '../../wire/request-options.ts';
import {
  camelCase,
  namesOf,
  type OptionTable,
  optionsOf,
  type RequestType,
  shownName,
} from './option-names.ts';
import { type CalledAs, invalidValue, readValue } from './option-value.ts';

/** The texts that were sent under each name, in the order in which they came. */
export type OptionTexts = ReadonlyMap<string, readonly string[]>;

type OptionsOf = { file: FileOptions; stream: StreamOptions };

type ReadOptions = {
  /** The names that are understood. By default, these are the names of the request type. */
  names?: ReadonlyMap<string, string>;
  /** What the sender calls an option. By default, this is its name. */
  calledAs?: (name: string) => CalledAs;
  table?: OptionTable;
};

/** Reads the options that were sent, without filling in defaults. Throws the error of the first option that cannot be used. */
export function readOptions<P extends RequestType>(
  texts: OptionTexts,
  requestType: P,
  { names, calledAs = byName, table = requestOptions }: ReadOptions = {},
): Partial<OptionsOf[P]> {
  const sent = byOption(texts, names ?? namesOf(table, requestType));
  const values = optionsOf(table, requestType).map(([name, option]) => {
    const value = readValue(option, sent.get(name) ?? [], calledAs(shownName(name, option)));
    return [camelCase(name), value] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<OptionsOf[P]>;
}

/** Reads one option that is not in the table. */
export function readOption<Value>(texts: OptionTexts, name: string, option: OptionKind): Value | undefined {
  return readValue(option, texts.get(name) ?? [], byName(name)) as Value | undefined;
}

/** The texts in the query of an address. */
export function textsOf(query: URLSearchParams): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const [name, text] of query) {
    const earlier = texts.get(name);
    if (earlier) earlier.push(text);
    else texts.set(name, [text]);
  }
  return texts;
}

/** The values of options that were not sent. */
export function defaultOptions<P extends RequestType>(
  requestType: P,
  table: OptionTable = requestOptions,
): Pick<OptionsOf[P], DefaultedOptions<P>> {
  const defaults = optionsOf(table, requestType).filter(([, option]) => option.default !== undefined);
  const entries = defaults.map(([name, option]) => [camelCase(name), option.default] as const);
  return Object.fromEntries(entries) as Pick<OptionsOf[P], DefaultedOptions<P>>;
}

type DefaultedOptions<P extends RequestType> = {
  [Name in keyof OptionsOf[P]]-?: undefined extends OptionsOf[P][Name] ? never : Name;
}[keyof OptionsOf[P]];

/** The options of a stream under their names on the wire. */
export function echoOptions(options: StreamOptions, table: OptionTable = requestOptions): StreamOptionsEcho {
  const values: Record<string, unknown> = options;
  const entries = optionsOf(table, 'stream').map(([name]) => [name, values[camelCase(name)]] as const);
  return Object.fromEntries(entries) as StreamOptionsEcho;
}

/** Throws invalid_value when a required option was not sent. */
export function requireOptions(
  texts: OptionTexts,
  requestType: RequestType,
  table: OptionTable = requestOptions,
): void {
  const sent = byOption(texts, namesOf(table, requestType));
  for (const [name, option] of optionsOf(table, requestType)) {
    if (!option.required || sent.get(name)?.some((text) => text.trim())) continue;
    const example = option.kind === 'choice' ? ` Send ${name}=${option.values[0]}.` : '';
    throw invalidValue(name, `\`${name}\` is missing.${example}`);
  }
}

/** An option that was sent under two of its names counts as sent twice. */
function byOption(texts: OptionTexts, names: ReadonlyMap<string, string>): Map<string, string[]> {
  const sent = new Map<string, string[]>();
  for (const [given, values] of texts) {
    const name = names.get(given);
    if (name !== undefined) sent.set(name, [...(sent.get(name) ?? []), ...values]);
  }
  return sent;
}

function byName(name: string): CalledAs {
  return { label: `\`${name}\``, param: name };
}
