import type { Transcript } from '../speech/transcript/segment.ts';
import { toDiarizedJson } from './diarized-json.ts';
import { toJson } from './json.ts';
import { toSrt } from './srt.ts';
import { toText } from './text.ts';
import { toVerboseJson } from './verbose-json.ts';
import { toVtt } from './vtt.ts';

export const responseFormats = ['json', 'verbose_json', 'text', 'srt', 'vtt', 'diarized_json'] as const;
export type ResponseFormat = (typeof responseFormats)[number];

export type FormatOptions = {
  format: ResponseFormat;
  /** Words with their times, in `verbose_json`. */
  words: boolean;
  /** False when only words were asked for. */
  segments: boolean;
};

export type FormattedTranscript = { contentType: string; body: string };

export function formatTranscript(transcript: Transcript, options: FormatOptions): FormattedTranscript {
  switch (options.format) {
    case 'json':
      return asJson(toJson(transcript, options));
    case 'verbose_json':
      return asJson(toVerboseJson(transcript, options));
    case 'diarized_json':
      return asJson(toDiarizedJson(transcript));
    case 'text':
      return { contentType: 'text/plain; charset=utf-8', body: toText(transcript) };
    case 'srt':
      return { contentType: 'text/plain; charset=utf-8', body: toSrt(transcript) };
    case 'vtt':
      return { contentType: 'text/vtt; charset=utf-8', body: toVtt(transcript) };
  }
}

function asJson(object: object): FormattedTranscript {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(object) };
}
