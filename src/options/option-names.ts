import type { Dialect, RequestOption } from '../../wire/request-options.ts';

export type OptionTable = Readonly<Record<string, RequestOption>>;
/** A file that is sent, or a stream that is opened. */
export type RequestType = RequestOption['in'][number];

/** The options that apply to a type of request, in the order of the table. */
export function optionsOf(
  table: OptionTable,
  requestType: RequestType,
): [name: string, option: RequestOption][] {
  return Object.entries(table).filter(([, option]) => option.in.includes(requestType));
}

/** Every name under which a value may come, and the option that it belongs to. */
export function namesOf(table: OptionTable, requestType: RequestType): Map<string, string> {
  const names = optionsOf(table, requestType).flatMap(([name, option]) => {
    const aliases = requestType === 'stream' ? (option.aliases ?? []) : [];
    const repeated = option.kind === 'list' || option.kind === 'choices' ? [`${name}[]`] : [];
    return [name, ...repeated, ...aliases].map((each) => [each, name] as const);
  });
  return new Map(names);
}

/** The same for the names that another service has for our options. */
export function dialectNamesOf(table: OptionTable, dialect: Dialect): Map<string, string> {
  const names = Object.entries(table).flatMap(([name, { dialects }]) =>
    (dialects?.[dialect] ?? []).map((each) => [each, name] as const),
  );
  return new Map(names);
}

/** `sample_rate` → `sampleRate`: options are called so in TypeScript. */
export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What an option is called in errors and documents: one of which several are sent has brackets, as OpenAI writes it. */
export function shownName(name: string, { kind }: RequestOption): string {
  return kind === 'choices' ? `${name}[]` : name;
}
