import type { FileOptions } from '../../wire/option-types.ts';
import type { Transcript } from '../speech/transcript/segment.ts';
import { toDiarizedJson } from './diarized-json.ts';
import { toJson } from './json.ts';
import { toSrt } from './srt.ts';
import { toText } from './text.ts';
import { toVerboseJson } from './verbose-json.ts';
import { toVtt } from './vtt.ts';

/** What was asked for; each format takes the options that it knows. */
export type FormatOptions = Partial<FileOptions> & Required<Pick<FileOptions, 'responseFormat'>>;

export type FormattedTranscript = { contentType: string; body: string };

export function formatTranscript(transcript: Transcript, options: FormatOptions): FormattedTranscript {
  switch (options.responseFormat) {
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
