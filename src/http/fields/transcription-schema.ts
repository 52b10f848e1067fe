import { type TSchema, Type } from 'typebox';
import { responseFormats } from '../../formats/response-format.ts';
import { modelId } from '../routes/models.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';
import {
  deltaEventSchema,
  diarizedJsonSchema,
  doneEventSchema,
  errorEventSchema,
  jsonSchema,
  segmentEventSchema,
  verboseJsonSchema,
} from '../transcription/transcript-schemas.ts';
import { languageNames } from './transcription-request.ts';

const form = Type.Object({
  file: Type.Unsafe<string>({
    type: 'string',
    format: 'binary',
    description:
      'The audio, at most 100 MB and 4 hours: mp3, wav, webm, flac or ogg. Its type is decided from its bytes, never from its name.',
  }),
  model: choice([modelId], 'The one model.'),
  language: Type.Optional(
    choice(
      Object.keys(languageNames),
      'What is spoken. `mixed` (the default) listens for it; Chinese is written in Traditional characters except for `zh-CN`.',
    ),
  ),
  response_format: Type.Optional(
    choice(responseFormats, 'Without it, `Accept: text/plain` gives text and everything else json.'),
  ),
  'timestamp_granularities[]': Type.Optional(
    Type.Array(choice(['word', 'segment'], ''), {
      description:
        '`word` needs `verbose_json`; with `word` alone, segments are left out. The name may also be written without brackets.',
    }),
  ),
  stream: Type.Optional(
    Type.Boolean({ default: false, description: 'Send events while the file is transcribed.' }),
  ),
  prompt: Type.Optional(
    Type.String({
      maxLength: 65_536,
      description: 'Text that came before, or that shows the style and the names.',
    }),
  ),
  hotwords: Type.Optional(
    Type.String({ description: 'Words to expect, with commas between them; or `hotwords[]` once for each.' }),
  ),
  temperature: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 0, description: '0 takes the likeliest words.' }),
  ),
  speaker_diarization: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Tell speakers apart: every segment gets a `speaker`, and none spans two of them. With `stream=true` the events then come at the end, when everybody has been heard. `diarized_json` implies it.',
    }),
  ),
  num_speakers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10,
      description: 'How many speakers there are, where that is known. Without it, they are counted.',
    }),
  ),
});

/** For the document and its readers; what is accepted is decided in transcription-request.ts. */
export const transcriptionSchema = {
  operationId: 'transcribeAudio',
  tags: ['Audio'],
  summary: 'Transcribe an audio file',
  description:
    'The file is decoded and recognised while it is uploaded. Fields come in any order; those that change what is recognised (language, prompt, hotwords, temperature, words, speakers) must come before a `file` of more than 32 MB. Each field is sent once; an empty one counts as not sent, and unknown ones are ignored.',
  consumes: ['multipart/form-data'],
  body: form,
  response: {
    200: {
      description:
        'The transcript, in the format asked for. With `stream=true` it is a stream of server-sent events, one JSON object after each `data:`: a delta and a segment for each segment, then done, or an error that ends it.',
      content: {
        'application/json': { schema: Type.Union([jsonSchema, verboseJsonSchema, diarizedJsonSchema]) },
        'text/plain': { schema: Type.String({ description: 'For `text` and `srt`.' }) },
        'text/vtt': { schema: Type.String({ description: 'For `vtt`.' }) },
        'text/event-stream': {
          schema: Type.Union([deltaEventSchema, segmentEventSchema, doneEventSchema, errorEventSchema]),
        },
      },
    },
    ...errorResponses(400, ...gateStatuses, 413, 415),
  },
};

function choice(values: readonly string[], description: string): TSchema {
  return Type.Unsafe<string>({ type: 'string', enum: [...values], ...(description && { description }) });
}
