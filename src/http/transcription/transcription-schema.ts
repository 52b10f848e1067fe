import { Type } from 'typebox';
import { optionsSchema } from '../../options/option-schema.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';
import {
  deltaEventSchema,
  diarizedJsonSchema,
  doneEventSchema,
  errorEventSchema,
  jsonSchema,
  segmentEventSchema,
  verboseJsonSchema,
} from './transcript-schemas.ts';

const form = optionsSchema('file', {
  file: Type.Unsafe<string>({
    type: 'string',
    format: 'binary',
    description:
      'The audio, at most 100 MB and 4 hours: mp3, wav, webm, flac or ogg. Its type is decided from its bytes, never from its name.',
  }),
});

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
