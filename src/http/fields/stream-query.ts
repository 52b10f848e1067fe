import type { StreamEncoding } from '../../../wire/stream-events.ts';
import type { SessionConfig } from '../../sessions/session.ts';
import type { FormFields } from '../transcription/upload/form-reader.ts';
import { invalidValue, readBoolean, readList, readNumber, readText } from './field-values.ts';
import { readLanguage } from './transcription-request.ts';

export type StreamQuery = { config: SessionConfig; unknown: string[] };

/** Other names under which people know the parameters. */
const aliases: Record<string, string> = {
  language_code: 'language',
  languageCode: 'language',
  sampleRate: 'sample_rate',
  sample_rate_hertz: 'sample_rate',
  sampleRateHertz: 'sample_rate',
  interimResults: 'interim_results',
  diarize: 'speaker_diarization',
  'hotwords[]': 'hotwords',
};

const names = new Set([
  'language',
  'sample_rate',
  'encoding',
  'interim_results',
  'speaker_diarization',
  'endpointing_ms',
  'words',
  'hotwords',
  'token',
]);

const encodings: Record<string, StreamEncoding> = {
  linear16: 'LINEAR16',
  pcm_s16le: 'LINEAR16',
  flac: 'FLAC',
  mulaw: 'MULAW',
  ulaw: 'MULAW',
  pcmu: 'MULAW',
};

export const rateLimits = { minimum: 8000, maximum: 48_000, whole: true };
export const endpointingLimits = { minimum: 10, maximum: 5000, whole: true };
export const defaultEndpointingMs = 500;

/** What a client asks for in the address. Throws invalid_value for the first parameter that cannot be used. */
export function readStreamQuery(query: URLSearchParams): StreamQuery {
  const fields = fieldsOf(query, aliases);
  const config: SessionConfig = {
    language: readLanguage(fields),
    encoding: readEncoding(fields) ?? 'LINEAR16',
    sampleRate: readNumber(fields, 'sample_rate', rateLimits) ?? 16_000,
    interimResults: readBoolean(fields, 'interim_results') ?? true,
    speakerDiarization: readBoolean(fields, 'speaker_diarization') ?? false,
    endpointingMs: readNumber(fields, 'endpointing_ms', endpointingLimits) ?? defaultEndpointingMs,
    words: readBoolean(fields, 'words') ?? false,
    hotwords: readList(fields, 'hotwords'),
  };
  return { config, unknown: [...fields.keys()].filter((name) => !names.has(name)) };
}

/** Every value by the name we know it under, so that one which is sent under two names is seen to be sent twice. */
export function fieldsOf(query: URLSearchParams, aliases: Record<string, string> = {}): FormFields {
  const fields: FormFields = new Map();
  for (const [given, value] of query) {
    const name = Object.hasOwn(aliases, given) ? aliases[given]! : given;
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return fields;
}

export function readEncoding(fields: FormFields): StreamEncoding | undefined {
  const asked = readText(fields, 'encoding')?.trim().toLowerCase();
  if (asked === undefined) return undefined;
  if (Object.hasOwn(encodings, asked)) return encodings[asked];
  throw invalidValue('encoding', '`encoding` is one of LINEAR16, FLAC, MULAW.');
}
