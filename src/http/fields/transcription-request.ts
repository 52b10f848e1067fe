import { ServiceError } from '../../errors/service-error.ts';
import { type FormatOptions, type ResponseFormat, responseFormats } from '../../formats/response-format.ts';
import type { TranscribeOptions } from '../../speech/recogniser.ts';
import { mostSpeakers } from '../../speech/speakers/who-spoke.ts';
import type { LanguageSetting } from '../../speech/transcript/languages.ts';
import { modelId } from '../routes/models.ts';
import type { FormFields } from '../transcription/upload/form-reader.ts';
import {
  choose,
  invalidValue,
  readBoolean,
  readChoice,
  readList,
  readNumber,
  readText,
} from './field-values.ts';

/** What a caller asks for. `recognition` is what the recogniser must know before it begins. */
export type TranscriptionRequest = {
  recognition: RecognitionRequest;
  output: FormatOptions;
  stream: boolean;
};

export type RecognitionRequest = {
  language: LanguageSetting;
  prompt: string | undefined;
  hotwords: string[];
  temperature: number;
  words: boolean;
  /** Undefined when they are not to be told apart. */
  speakers: TranscribeOptions['speakers'] | undefined;
};

export const fieldNames: ReadonlySet<string> = new Set([
  'model',
  'language',
  'prompt',
  'temperature',
  'response_format',
  'timestamp_granularities',
  'timestamp_granularities[]',
  'stream',
  'speaker_diarization',
  'num_speakers',
  'hotwords',
  'hotwords[]',
]);

/** The names of a language as callers write them. */
export const languageNames = {
  mixed: 'mixed',
  'zh-TW': 'zh-TW',
  'zh-CN': 'zh-CN',
  'en-US': 'en-US',
  'nan-TW': 'nan-TW',
  zh: 'zh-TW',
  en: 'en-US',
  nan: 'nan-TW',
} as const satisfies Record<string, LanguageSetting>;

/** Throws the error of the first field that cannot be used. `acceptsOnlyText` stands in for a `response_format`. */
export function readTranscriptionRequest(
  fields: FormFields,
  { acceptsOnlyText }: { acceptsOnlyText: boolean },
): TranscriptionRequest {
  const request = readPartialRequest(fields, { acceptsOnlyText });
  const model = readText(fields, 'model')?.trim();
  if (model === undefined) throw invalidValue('model', `\`model\` is missing. Send model=${modelId}.`);
  if (model !== modelId) throw new ServiceError('model_not_found');
  if (request.recognition.words && request.output.format !== 'verbose_json') {
    const message = 'Word times need response_format=verbose_json.';
    throw invalidValue('timestamp_granularities[]', message);
  }
  return request;
}

/** The same from the fields that have come so far: what is missing may still come. */
export function readPartialRequest(
  fields: FormFields,
  { acceptsOnlyText }: { acceptsOnlyText: boolean },
): TranscriptionRequest {
  const granularities = readList(fields, 'timestamp_granularities').map((value) =>
    choose('timestamp_granularities[]', value, ['word', 'segment']),
  );
  const words = granularities.includes('word');
  const format =
    readChoice(fields, 'response_format', responseFormats) ?? (acceptsOnlyText ? 'text' : 'json');
  return {
    recognition: {
      language: readLanguage(fields),
      prompt: readText(fields, 'prompt'),
      hotwords: readList(fields, 'hotwords'),
      temperature: readNumber(fields, 'temperature', { minimum: 0, maximum: 1 }) ?? 0,
      words,
      speakers: readSpeakers(fields, format),
    },
    output: {
      format,
      words,
      segments: !words || granularities.includes('segment'),
    },
    stream: readBoolean(fields, 'stream') ?? false,
  };
}

export function readLanguage(fields: FormFields): LanguageSetting {
  const asked = readText(fields, 'language')?.trim().toLowerCase();
  if (asked === undefined) return 'mixed';
  const names = Object.keys(languageNames) as (keyof typeof languageNames)[];
  const name = names.find((candidate) => candidate.toLowerCase() === asked);
  if (name !== undefined) return languageNames[name];
  throw invalidValue('language', `\`language\` is one of ${names.join(', ')}.`);
}

/** Who asks for `diarized_json` asks for speakers, unless the other field says no. */
function readSpeakers(fields: FormFields, format: ResponseFormat): RecognitionRequest['speakers'] {
  const count = readNumber(fields, 'num_speakers', { minimum: 1, maximum: mostSpeakers, whole: true });
  const wanted = readBoolean(fields, 'speaker_diarization') ?? format === 'diarized_json';
  return wanted ? { ...(count !== undefined && { count }) } : undefined;
}
