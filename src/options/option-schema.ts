import { type TObject, type TSchema, Type } from 'typebox';
import { type RequestOption, requestOptions } from '../../wire/request-options.ts';
import { type OptionTable, optionsOf, type RequestType, shownName } from './option-names.ts';
import { spellings } from './option-value.ts';

/** The JSON Schema of a form or an address: the options of a request type, and `more` properties that are not options. */
export function optionsSchema(
  requestType: RequestType,
  more: Record<string, TSchema> = {},
  table: OptionTable = requestOptions,
): TObject {
  const options = optionsOf(table, requestType).map(([name, option]) => {
    const schema =
      option.kind === 'list'
        ? Type.String({ ...described(option), maxLength: option.maxLength })
        : valueSchema(option);
    return [shownName(name, option), option.required ? schema : Type.Optional(schema)] as const;
  });
  return Type.Object({ ...more, ...Object.fromEntries(options) });
}

/** The JSON Schema of options after they have been read, when each has its value. */
export function understoodSchema(
  requestType: RequestType,
  description: string,
  table: OptionTable = requestOptions,
): TObject {
  const options = optionsOf(table, requestType).map(([name, option]) => [name, valueSchema(option)] as const);
  return Type.Object(Object.fromEntries(options), { description });
}

export function valueSchema(option: RequestOption): TSchema {
  const common = described(option);
  switch (option.kind) {
    case 'text':
      return Type.String({ ...common, maxLength: option.maxLength });
    case 'list':
      return Type.Array(Type.String(), common);
    case 'number':
      return Type.Number({ ...common, minimum: option.minimum, maximum: option.maximum });
    case 'whole':
      return Type.Integer({ ...common, minimum: option.minimum, maximum: option.maximum });
    case 'flag':
      return Type.Boolean(common);
    case 'choice':
      return choiceSchema(option, common);
    case 'choices':
      return Type.Array(choiceSchema(option), common);
  }
}

function described({ sentence: description, default: fallback }: RequestOption): {
  description: string;
  default?: unknown;
} {
  const isEmpty = Array.isArray(fallback) && fallback.length === 0;
  return { description, ...(fallback !== undefined && !isEmpty && { default: fallback }) };
}

function choiceSchema(
  option: Extract<RequestOption, { values: readonly string[] }>,
  common: object = {},
): TSchema {
  return Type.Unsafe<string>({ type: 'string', enum: spellings(option), ...common });
}
