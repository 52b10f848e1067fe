import type { StreamOptions } from '../../../../wire/option-types.ts';
import { requestOptions } from '../../../../wire/request-options.ts';
import { readDialectOptions } from '../../../options/dialect-options.ts';
import { invalidValue } from '../../../options/option-value.ts';
import { defaultOptions, type OptionTexts, readOption } from '../../../options/read-options.ts';
import type { StreamOffers } from '../dialect.ts';
import { translateLanguage } from '../spoken-language.ts';

/** Deepgram's own default is 10 ms, which cuts sentences into pieces. */
const defaultEndpointingMs = 300;

export type DeepgramRequest = {
  config: StreamOptions;
  /** The audio comes in a container that names its encoding, because the address names none. */
  isContainer: boolean;
  speechEvents: boolean;
  utteranceEndMs: number | undefined;
};

/** Reads the parameters of the address. Throws invalid_value. */
export function readDeepgramQuery(texts: OptionTexts, offers: StreamOffers): DeepgramRequest {
  readOption(texts, 'channels', { kind: 'whole', minimum: 1, maximum: 1 });
  const isContainer = !texts.get('encoding')?.some((encoding) => encoding.trim());
  const asked = readDialectOptions(translateTexts(texts, { isContainer }), 'deepgram');
  return {
    isContainer,
    speechEvents: readOption<boolean>(texts, 'vad_events', { kind: 'flag' }) ?? false,
    utteranceEndMs: readOption(texts, 'utterance_end_ms', { kind: 'whole', minimum: 100, maximum: 60_000 }),
    config: {
      ...defaultOptions('stream'),
      interimResults: false,
      endpointingMs: defaultEndpointingMs,
      ...asked,
      speakerDiarization: offers.speakers && (asked.speakerDiarization ?? false),
      words: true,
    },
  };
}

/** Rewrites parameters that mean something else in Deepgram than our options do. */
function translateTexts(texts: OptionTexts, { isContainer }: { isContainer: boolean }): OptionTexts {
  const ours = new Map(translateLanguage(texts, 'language'));
  // The container has the rate.
  if (isContainer) ours.delete('sample_rate');
  const keywords = texts.get('keywords');
  if (keywords) ours.set('keywords', keywords.map(withoutBoosts));
  const endpointing = texts.get('endpointing')?.map(translateEndpointing);
  if (endpointing) ours.set('endpointing', endpointing);
  return ours;
}

/** `false` means the longest pause that is allowed. A value outside the bounds is moved to the nearest bound. */
function translateEndpointing(text: string): string {
  const { minimum, maximum } = requestOptions.endpointing_ms;
  const asked = text.trim();
  if (asked === 'false') return String(maximum);
  if (asked === '' || asked === 'true') return String(defaultEndpointingMs);
  if (!/^\d{1,6}$/.test(asked)) throw invalidValue('endpointing', '`endpointing` is milliseconds, or false.');
  return String(Math.min(Math.max(Number(asked), minimum), maximum));
}

/** `Siann:2,聲學:1.5` → `Siann,聲學` */
function withoutBoosts(keywords: string): string {
  return keywords.replace(/:-?[\d.]+(?=\s*([,，、]|$))/g, '');
}
