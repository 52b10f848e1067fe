import type { StreamOptions } from '../../wire/option-types.ts';
import { type Dialect, requestOptions } from '../../wire/request-options.ts';
import { dialectNamesOf } from './option-names.ts';
import { type OptionTexts, readOptions } from './read-options.ts';

/** Reads options that were sent under another service's names. Errors show the name that the client sent. */
export function readDialectOptions(texts: OptionTexts, dialect: Dialect): Partial<StreamOptions> {
  const names = dialectNamesOf(requestOptions, dialect);
  const sentAs = (option: string) =>
    [...names].find(([theirs, ours]) => ours === option && texts.has(theirs))?.[0] ?? option;
  return readOptions(texts, 'stream', {
    names,
    calledAs: (option) => ({ label: `\`${sentAs(option)}\``, param: sentAs(option) }),
  });
}
