import type { FileOptions } from '../../wire/option-types.ts';
import { toSrt, toVtt } from '../../wire/subtitles.ts';
import type { Transcript } from '../speech/transcript/segment.ts';
import { toDiarizedJson } from './diarized-json.ts';
import { toJson, toJsonSegment } from './json.ts';
import { toText } from './text.ts';
import { toVerboseJson } from './verbose-json.ts';

/** The options of the request. Each format uses those that it knows. */
export type FormatOptions = Partial<FileOptions> & Required<Pick<FileOptions, 'responseFormat'>>;

type FormattedTranscript = { contentType: string; body: string };

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
      return {
        contentType: 'text/plain; charset=utf-8',
        body: toSrt(transcript.segments.map(toJsonSegment), options),
      };
    case 'vtt':
      return {
        contentType: 'text/vtt; charset=utf-8',
        body: toVtt(transcript.segments.map(toJsonSegment), options),
      };
  }
}

function asJson(object: object): FormattedTranscript {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(object) };
}
