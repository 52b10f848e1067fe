import { type RequestOption, requestOptions } from '../../wire/request-options.ts';
import { camelCase, type OptionTable, optionsOf, type RequestType, shownName } from './option-names.ts';
import { spellings } from './option-value.ts';

/** The files of the project that are made from the table, by their paths. */
export function optionFiles(table: OptionTable = requestOptions): Record<string, string> {
  return { 'wire/option-types.ts': optionTypes(table), 'docs/guides/options.md': optionGuide(table) };
}

function optionTypes(table: OptionTable): string {
  return [
    '// Made from request-options.ts by `npm run options`.',
    typeOf('FileOptions', 'The options of a request that sends a file.', 'file', table),
    typeOf('StreamOptions', 'The options of a request that opens a stream.', 'stream', table),
    echoTypeOf(table),
  ]
    .map((part) => `${part}\n`)
    .join('\n');
}

function optionGuide(table: OptionTable): string {
  return `<!-- Made from wire/request-options.ts by \`npm run options\`. -->

# Options

These are all options of requests. Send an option once; an empty one counts as not sent. Send a list as one text with commas
between the words, or send \`name[]\` once for each word.

## Files

The fields of [\`POST /v1/audio/transcriptions\`](files.md), beside \`file\`. Unknown fields are ignored. Options with a * change
what is recognised: send them before a file of more than 32 MB.

${optionRows('file', table)}

## Streams

The parameters of [\`GET /v1/speech/realtime\`](../realtime.md). An unknown parameter is answered with a \`warning\`.

${optionRows('stream', table)}
`;
}

function optionRows(requestType: RequestType, table: OptionTable): string {
  const rows = optionsOf(table, requestType).map(([name, option]) => {
    const also =
      requestType === 'stream' && option.aliases
        ? ` Also called ${option.aliases.map(code).join(', ')}.`
        : '';
    const mark = requestType === 'file' && option.startsOver ? ' *' : '';
    return `| ${code(shownName(name, option))}${mark} | ${valuesOf(option)} | ${defaultOf(option)} | ${option.sentence}${also} |`;
  });
  return ['| option | values | default | what it does |', '|---|---|---|---|', ...rows].join('\n');
}

function typeOf(name: string, sentence: string, requestType: RequestType, table: OptionTable): string {
  const members = optionsOf(table, requestType).map(([option, entry]) => {
    return `  /** ${entry.sentence} */\n  ${camelCase(option)}${alwaysHasValue(entry) ? '' : '?'}: ${valueType(entry)};`;
  });
  return `/** ${sentence} */\nexport type ${name} = {\n${members.join('\n')}\n};`;
}

function echoTypeOf(table: OptionTable): string {
  const members = optionsOf(table, 'stream').map(
    ([name, option]) => `  ${name}${alwaysHasValue(option) ? '' : '?'}: ${valueType(option)};`,
  );
  return `/** The options of a stream, as \`session.begin\` repeats them. */\nexport type StreamOptionsEcho = {\n${members.join('\n')}\n};`;
}

function alwaysHasValue(option: RequestOption): boolean {
  return option.required === true || option.default !== undefined;
}

function valueType(option: RequestOption): string {
  switch (option.kind) {
    case 'text':
      return 'string';
    case 'list':
      return 'readonly string[]';
    case 'number':
    case 'whole':
      return 'number';
    case 'flag':
      return 'boolean';
    case 'choice':
      return literals(option.values);
    case 'choices':
      return `readonly (${literals(option.values)})[]`;
  }
}

function literals(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' | ');
}

/** The allowed values, as the guide shows them. */
function valuesOf(option: RequestOption): string {
  switch (option.kind) {
    case 'text':
      return `text, ${boundsOf(option)}`;
    case 'list':
      return `a list, ${boundsOf(option)}`;
    case 'number':
    case 'whole':
      return `${option.minimum} to ${option.maximum}`;
    case 'flag':
      return '`true`, `false`';
    case 'choice':
    case 'choices':
      return `${spellings(option).map(code).join(', ')}${option.anyCase ? ', in any case' : ''}`;
  }
}

function boundsOf({ maxLength, usedBytes }: { maxLength: number; usedBytes?: number }): string {
  const used =
    usedBytes === undefined ? '' : `; the last ${usedBytes.toLocaleString('en-US')} bytes are used`;
  return `up to ${maxLength.toLocaleString('en-US')} characters${used}`;
}

function defaultOf(option: RequestOption): string {
  if (option.required) return 'required';
  const { default: fallback } = option;
  return fallback === undefined || Array.isArray(fallback) ? '' : code(String(fallback));
}

function code(text: string): string {
  return `\`${text}\``;
}
