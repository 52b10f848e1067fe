import { Type } from 'typebox';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';
import { languageNames } from './transcription-request.ts';

const choice = (values: readonly string[], description: string) =>
  Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...values], description }));
const flag = (fallback: boolean, description: string) =>
  Type.Optional(Type.Boolean({ default: fallback, description }));

const query = Type.Object({
  language: choice(Object.keys(languageNames), 'What is spoken; `mixed` (the default) listens for it.'),
  sample_rate: Type.Optional(
    Type.Integer({
      minimum: 8000,
      maximum: 48_000,
      default: 16_000,
      description: 'Samples a second, of `LINEAR16` and `MULAW`.',
    }),
  ),
  encoding: choice(
    ['LINEAR16', 'FLAC', 'MULAW'],
    'What the binary messages hold, mono; `LINEAR16` (the default) is little-endian.',
  ),
  interim_results: flag(true, 'Whether partials are sent while somebody speaks.'),
  speaker_diarization: flag(false, 'Tell speakers apart.'),
  endpointing_ms: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 5000,
      default: 500,
      description: 'How long a pause ends what was said in one go.',
    }),
  ),
  words: flag(false, 'Times for every word of a final.'),
  hotwords: Type.Optional(Type.String({ description: 'Words to expect, with commas between them.' })),
  token: Type.Optional(
    Type.String({ description: 'In place of the header: a token of POST /speech/realtime/tokens.' }),
  ),
});

/** For the document and its readers; what is accepted is decided in stream-query.ts. */
export const streamSchema = {
  operationId: 'streamSpeech',
  tags: ['Realtime'],
  summary: 'Live captions over WebSocket',
  description:
    'Send audio in binary messages, or `{"type":"keepalive"}`, `{"type":"finalize"}`, `{"type":"close"}`; an empty binary message means close. Events come back as JSON. Whatever can fail before the upgrade is answered as HTTP.',
  querystring: query,
  response: {
    101: { description: 'The connection speaks WebSocket from here on.' },
    ...errorResponses(400, ...gateStatuses),
  },
};
