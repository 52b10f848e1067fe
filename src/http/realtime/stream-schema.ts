import { Type } from 'typebox';
import { optionsSchema } from '../../options/option-schema.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';

const query = optionsSchema('stream', {
  token: Type.Optional(
    Type.String({ description: 'A token of POST /speech/realtime/tokens, instead of the header.' }),
  ),
});

export const streamSchema = {
  operationId: 'streamSpeech',
  tags: ['Realtime'],
  summary: 'Live captions over WebSocket',
  description:
    'Send audio in binary messages, or `{"type":"keepalive"}`, `{"type":"finalize"}`, `{"type":"close"}`; an empty binary message means close. Events come back as JSON. Every error before the upgrade is answered as HTTP.',
  querystring: query,
  response: {
    101: { description: 'The connection speaks WebSocket from here on.' },
    ...errorResponses(400, ...gateStatuses),
  },
};
