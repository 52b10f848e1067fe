import type { StreamOptions } from '../../../../wire/option-types.ts';
import { requestOptions } from '../../../../wire/request-options.ts';
import { invalidValue } from '../../../options/option-value.ts';
import { defaultOptions } from '../../../options/read-options.ts';
import { modelId } from '../../routes/models.ts';
import { readSpokenLanguage } from '../spoken-language.ts';

/** The settings that an OpenAI client changes with `session.update`, or with the older `transcription_session.update`. */
export type OpenaiSettings = {
  encoding: StreamOptions['encoding'];
  sampleRate: number;
  language: string | undefined;
  prompt: string | undefined;
  /** The pause that ends an item. Undefined when the client ends items itself, with `commit`. */
  pauseMs: number | undefined;
};

export const defaultSettings: OpenaiSettings = {
  encoding: 'LINEAR16',
  sampleRate: 24_000,
  language: undefined,
  prompt: undefined,
  pauseMs: requestOptions.endpointing_ms.default,
};

type Fields = { [name: string]: unknown };

/** Returns changed settings. Throws invalid_value. */
export function updateSettings(settings: OpenaiSettings, update: unknown): OpenaiSettings {
  if (!isFields(update)) throw invalidValue('session', '`session` must be an object.');
  if (update.type !== undefined && update.type !== 'transcription') {
    throw invalidValue(
      'session.type',
      'Only transcription sessions are held here. Send `"type":"transcription"`.',
    );
  }
  const audio = isFields(update.audio) ? update.audio : {};
  const input: Fields = isFields(audio.input) ? audio.input : olderNames(update);
  const changed = { ...settings };
  if (input.format !== undefined) Object.assign(changed, readFormat(input.format));
  if (isFields(input.transcription)) {
    const { language, prompt } = input.transcription;
    if (language !== undefined) changed.language = checkedLanguage(language);
    // More is never used, and every answer repeats it.
    if (typeof prompt === 'string') changed.prompt = prompt.slice(-requestOptions.prompt.usedBytes);
  }
  if (input.turn_detection !== undefined) changed.pauseMs = readPause(input.turn_detection);
  return changed;
}

export function sessionConfig({ pauseMs, ...settings }: OpenaiSettings): StreamOptions {
  return {
    ...defaultOptions('stream'),
    language: readSpokenLanguage(settings.language, 'language'),
    encoding: settings.encoding,
    sampleRate: settings.sampleRate,
    // When pauses end no item, speech is cut as rarely as possible.
    endpointingMs: pauseMs ?? requestOptions.endpointing_ms.maximum,
  };
}

/** The settings in the form of `session.created` and `session.updated`. */
export function describeSettings(settings: OpenaiSettings, id: string, expiresAt: number): object {
  return {
    type: 'transcription',
    id,
    object: 'realtime.transcription_session',
    expires_at: expiresAt,
    audio: {
      input: {
        format: formatOf(settings),
        transcription: transcriptionOf(settings),
        noise_reduction: null,
        turn_detection: turnDetectionOf(settings),
      },
    },
    include: null,
  };
}

/** The settings in the form that older clients expect, from before the interface was final. */
export function describeSettingsFlat(settings: OpenaiSettings, id: string, expiresAt: number): object {
  return {
    id,
    object: 'realtime.transcription_session',
    expires_at: expiresAt,
    input_audio_format: settings.encoding === 'MULAW' ? 'g711_ulaw' : 'pcm16',
    input_audio_transcription: transcriptionOf(settings),
    turn_detection: turnDetectionOf(settings),
  };
}

function formatOf({ encoding, sampleRate }: OpenaiSettings): object {
  return encoding === 'MULAW' ? { type: 'audio/pcmu' } : { type: 'audio/pcm', rate: sampleRate };
}

function transcriptionOf({ language, prompt }: OpenaiSettings): object {
  return { model: modelId, language: language ?? null, prompt: prompt ?? '' };
}

function turnDetectionOf({ pauseMs }: OpenaiSettings): object | null {
  if (pauseMs === undefined) return null;
  return { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: pauseMs };
}

function olderNames(update: Fields): Fields {
  const { input_audio_format: format, input_audio_transcription: transcription, turn_detection } = update;
  return { format, transcription, turn_detection };
}

function readFormat(format: unknown): Pick<OpenaiSettings, 'encoding' | 'sampleRate'> {
  const { type, rate = defaultSettings.sampleRate } = isFields(format) ? format : { type: format };
  if (type === 'audio/pcmu' || type === 'g711_ulaw') return { encoding: 'MULAW', sampleRate: 8000 };
  const param = 'session.audio.input.format';
  if (type !== 'audio/pcm' && type !== 'pcm16') {
    throw invalidValue(param, 'The format is `audio/pcm` (or `pcm16`), or `audio/pcmu` (or `g711_ulaw`).');
  }
  const { minimum, maximum } = requestOptions.sample_rate;
  if (typeof rate !== 'number' || !Number.isInteger(rate) || rate < minimum || rate > maximum) {
    throw invalidValue(param, `The rate is a whole number from ${minimum} to ${maximum}.`);
  }
  return { encoding: 'LINEAR16', sampleRate: rate };
}

function checkedLanguage(language: unknown): string | undefined {
  if (language === null) return undefined;
  const param = 'session.audio.input.transcription.language';
  if (typeof language !== 'string') throw invalidValue(param, `\`${param}\` must be a text.`);
  readSpokenLanguage(language, param);
  return language;
}

const pauseOfEagerness: ReadonlyMap<unknown, number> = new Map([
  ['low', 1000],
  ['high', 300],
]);

function readPause(detection: unknown): number | undefined {
  if (detection === null) return undefined;
  const { type, silence_duration_ms, eagerness } = isFields(detection) ? detection : { type: detection };
  if (type === 'semantic_vad')
    return pauseOfEagerness.get(eagerness) ?? requestOptions.endpointing_ms.default;
  // Older clients leave the type out.
  if (type !== 'server_vad' && !(type === undefined && isFields(detection))) {
    throw invalidValue(
      'session.audio.input.turn_detection',
      '`turn_detection` is of type server_vad or semantic_vad, or null.',
    );
  }
  if (typeof silence_duration_ms !== 'number') return requestOptions.endpointing_ms.default;
  const { minimum, maximum } = requestOptions.endpointing_ms;
  return Math.min(Math.max(Math.round(silence_duration_ms), minimum), maximum);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
