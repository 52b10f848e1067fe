import type { Dialect, RequestOption } from '../../wire/request-options.ts';

export type OptionTable = Readonly<Record<string, RequestOption>>;
/** A request that sends a file, or one that opens a stream. */
export type RequestType = RequestOption['in'][number];

/** The options of a request type, in the order of the table. */
export function optionsOf(
  table: OptionTable,
  requestType: RequestType,
): [name: string, option: RequestOption][] {
  return Object.entries(table).filter(([, option]) => option.in.includes(requestType));
}

/** Every name that a value may be sent under, with the option that it belongs to. */
export function namesOf(table: OptionTable, requestType: RequestType): Map<string, string> {
  const names = optionsOf(table, requestType).flatMap(([name, option]) => {
    const aliases = requestType === 'stream' ? (option.aliases ?? []) : [];
    const repeated = option.kind === 'list' || option.kind === 'choices' ? [`${name}[]`] : [];
    return [name, ...repeated, ...aliases].map((each) => [each, name] as const);
  });
  return new Map(names);
}

/** The names that another service has for our options, with the option that each belongs to. */
export function dialectNamesOf(table: OptionTable, dialect: Dialect): Map<string, string> {
  const names = Object.entries(table).flatMap(([name, { dialects }]) =>
    (dialects?.[dialect] ?? []).map((each) => [each, name] as const),
  );
  return new Map(names);
}

/** `sample_rate` → `sampleRate`, the name of the option in TypeScript. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of an option in errors and documents. An option with several choices has brackets, as OpenAI writes it. */
export function shownName(name: string, { kind }: RequestOption): string {
  return kind === 'choices' ? `${name}[]` : name;
}
