import type { FileOptions } from '../../wire/option-types.ts';
import { requestOptions } from '../../wire/request-options.ts';
import type { TranscribeOptions } from '../speech/recogniser.ts';
import { camelCase, type OptionTable, optionsOf, shownName } from './option-names.ts';
import { invalidValue } from './option-value.ts';
import { defaultOptions } from './read-options.ts';

/** Everything about a file, decided: what was asked for, what that implies, and the defaults. */
export type DecidedFileOptions = Omit<FileOptions, 'model' | 'responseFormat'> & {
  responseFormat: NonNullable<FileOptions['responseFormat']>;
};

/** `usualFormat` is the format where none was asked for. Who asks for `diarized_json` asks for speakers, unless the other option says no. */
export function decideFileOptions(
  asked: Partial<FileOptions>,
  usualFormat: DecidedFileOptions['responseFormat'],
): DecidedFileOptions {
  const { model, numSpeakers, ...rest } = asked;
  const responseFormat = asked.responseFormat ?? usualFormat;
  const speakerDiarization = asked.speakerDiarization ?? responseFormat === 'diarized_json';
  const counted = speakerDiarization && numSpeakers !== undefined && { numSpeakers };
  return { ...defaultOptions('file'), ...rest, responseFormat, speakerDiarization, ...counted };
}

/** Throws invalid_value for options that are allowed by themselves and not together. */
export function checkTogether({ timestampGranularities, responseFormat }: DecidedFileOptions): void {
  if (timestampGranularities.includes('word') && responseFormat !== 'verbose_json') {
    throw invalidValue('timestamp_granularities[]', 'Word times need response_format=verbose_json.');
  }
}

/** What the recogniser is told. Options that it shares with requests pass through under their own names. */
export function toTranscribeOptions(options: DecidedFileOptions): TranscribeOptions {
  const { timestampGranularities, speakerDiarization, numSpeakers: count } = options;
  return {
    ...options,
    words: timestampGranularities.includes('word'),
    ...(speakerDiarization && { speakers: count === undefined ? {} : { count } }),
  };
}

/** The first option in which recognition, as it was started, is not what is wanted after all. */
export function mustStartOver(
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
