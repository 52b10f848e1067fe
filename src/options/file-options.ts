import type { FileOptions } from '../../wire/option-types.ts';
import { requestOptions } from '../../wire/request-options.ts';
import type { TranscribeOptions } from '../speech/transcribe.ts';
import { camelCase, type OptionTable, optionsOf, shownName } from './option-names.ts';
import { invalidValue } from './option-value.ts';
import { defaultOptions } from './read-options.ts';

/** All options for a file: what the request asks for, what that implies, and the defaults. */
export type DecidedFileOptions = Omit<FileOptions, 'model' | 'responseFormat'> & {
  responseFormat: NonNullable<FileOptions['responseFormat']>;
};

/** `defaultFormat` is used when the request names no format. `diarized_json` turns diarization on, unless the request turns it off. */
export function decideFileOptions(
  asked: Partial<FileOptions>,
  defaultFormat: DecidedFileOptions['responseFormat'],
): DecidedFileOptions {
  const { model, numSpeakers, ...rest } = asked;
  const responseFormat = asked.responseFormat ?? defaultFormat;
  const speakerDiarization = asked.speakerDiarization ?? responseFormat === 'diarized_json';
  const counted = speakerDiarization && numSpeakers !== undefined && { numSpeakers };
  return { ...defaultOptions('file'), ...rest, responseFormat, speakerDiarization, ...counted };
}

/** Throws invalid_value for options that are allowed alone but not together. */
export function checkCombination({ timestampGranularities, responseFormat }: DecidedFileOptions): void {
  if (timestampGranularities.includes('word') && responseFormat !== 'verbose_json') {
    throw invalidValue('timestamp_granularities[]', 'Word times need response_format=verbose_json.');
  }
}

/** The options of the recogniser. Options that requests share with it keep their names. */
export function toTranscribeOptions(options: DecidedFileOptions): TranscribeOptions {
  const { timestampGranularities, speakerDiarization, numSpeakers: count } = options;
  return {
    ...options,
    words: timestampGranularities.includes('word'),
    ...(speakerDiarization && { speakers: count === undefined ? {} : { count } }),
  };
}

/** The first option that makes recognition start over, because it was started with another value. */
export function optionThatStartsOver(
  started: DecidedFileOptions,
  wanted: DecidedFileOptions,
  table: OptionTable = requestOptions,
): string | undefined {
  const valueIn = (options: object, name: string) => (options as Record<string, unknown>)[camelCase(name)];
  const different = optionsOf(table, 'file').find(([name, { startsOver }]) =>
    startsOver?.(valueIn(started, name), valueIn(wanted, name)),
  );
  return different && shownName(...different);
}
