import type { ParseArgsConfig } from 'node:util';
import type { FileOptions, StreamOptions } from '../../wire/option-types.ts';
import { type RequestOption, requestOptions } from '../../wire/request-options.ts';
import { ServiceError } from '../errors/service-error.ts';
import { type OptionTable, optionsOf, type RequestType } from '../options/option-names.ts';
import { type OptionTexts, readOptions } from '../options/read-options.ts';
import { UsageError } from './command.ts';

type Values = Record<string, string | boolean | undefined>;
type Argument = { name: string; option: RequestOption; argument: string; isFlag: boolean; text: string };

/** The options of a request as options of a command line, for `parseCommandLine`. */
export function optionArguments(
  requestType: RequestType,
  table?: OptionTable,
): NonNullable<ParseArgsConfig['options']> {
  const entries = argumentsOf(requestType, table).map(({ argument, isFlag }) => {
    const type: 'boolean' | 'string' = isFlag ? 'boolean' : 'string';
    return [argument, { type }] as const;
  });
  return Object.fromEntries(entries);
}

/** Reads the options of a request from a command line. Throws a UsageError that names the argument. */
export function readOptionArguments(values: Values, requestType: 'file'): Partial<FileOptions>;
export function readOptionArguments(values: Values, requestType: 'stream'): Partial<StreamOptions>;
export function readOptionArguments(
  values: Values,
  requestType: RequestType,
): Partial<FileOptions & StreamOptions> {
  const all = argumentsOf(requestType);
  const texts: OptionTexts = new Map(
    all.flatMap(({ name, argument, isFlag, text }) => {
      const value = values[argument];
      if (value === undefined || value === false) return [];
      return [[name, [isFlag ? text : String(value)]] as const];
    }),
  );
  const calledAs = (shown: string) => {
    const { argument } = all.find(({ name }) => name === shown.replace(/\[\]$/, '')) ?? { argument: shown };
    return { label: `--${argument}`, param: shown };
  };
  try {
    return readOptions(texts, requestType, { calledAs });
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** The help: one line for each option, or two if its name is long. */
export function optionHelp(
  requestType: RequestType,
  defaults: Record<string, string> = {},
  table?: OptionTable,
): string {
  return argumentsOf(requestType, table)
    .map(({ name, option, argument, isFlag }) => {
      const left = `--${argument}${isFlag ? '' : ` ${placeholderOf(option)}`}`;
      return helpLine(left, `${helpSentence(option)}${defaultOf(option, defaults[name])}`);
    })
    .join('\n');
}

const indent = 4;
const column = 25;

function helpLine(left: string, right: string): string {
  const start = ' '.repeat(indent) + left;
  return start.length < column ? start.padEnd(column) + right : `${start}\n${' '.repeat(column)}${right}`;
}

function argumentsOf(requestType: RequestType, table: OptionTable = requestOptions): Argument[] {
  return optionsOf(table, requestType).flatMap(([name, option]) => {
    const { command } = option;
    if (command === false) return [];
    const plain = command?.name ?? name.replaceAll('_', '-');
    if (command?.value !== undefined)
      return [{ name, option, argument: plain, isFlag: true, text: command.value }];
    return [{ name, option, argument: plain, isFlag: option.kind === 'flag', text: 'true' }];
  });
}

function placeholderOf(option: RequestOption): string {
  switch (option.kind) {
    case 'choice':
    case 'choices':
      return option.values.join('|');
    case 'list':
      return 'A,B,…';
    case 'number':
    case 'whole':
      return 'N';
    default:
      return 'TEXT';
  }
}

function helpSentence({ sentence, command }: RequestOption): string {
  const { sentence: ofCommand } = command || {};
  return ofCommand ?? /^.*?\.(?= |$)/.exec(sentence)?.[0] ?? sentence;
}

function defaultOf({ default: ofTable, kind }: RequestOption, value = ofTable): string {
  return value === undefined || kind === 'flag' || Array.isArray(value) ? '' : ` (default: ${value})`;
}
