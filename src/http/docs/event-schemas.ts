import { type Static, type TSchema, Type } from 'typebox';
import type { StreamOptionsEcho } from '../../../wire/option-types.ts';
import type { SessionEvent } from '../../../wire/stream-events.ts';
import { understoodSchema } from '../../options/option-schema.ts';

const seconds = (description: string) => Type.Number({ description });
const speaker = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Only when speakers are told apart.' }),
);

const configSchema = Type.Unsafe<StreamOptionsEcho>(
  understoodSchema('stream', 'The options of the stream, as the service has understood them.'),
);

const limitsSchema = Type.Object({
  max_frame_bytes: Type.Integer(),
  max_buffered_seconds: Type.Number(),
  idle_seconds: Type.Number(),
  max_session_seconds: Type.Number(),
});

/** Every event of a stream by its type, with its sentence for the documents. */
export const eventSchemas = {
  'session.begin': Type.Object(
    {
      type: Type.Literal('session.begin'),
      session_id: Type.String(),
      expires_at: Type.String({ format: 'date-time' }),
      config: configSchema,
      limits: limitsSchema,
    },
    { description: 'The first event.' },
  ),
  'speech.started': Type.Object(
    { type: Type.Literal('speech.started'), at: seconds('From the first sample of the stream.') },
    { description: 'Somebody has begun to speak.' },
  ),
  transcript: Type.Object(
    {
      type: Type.Literal('transcript'),
      seq: Type.Integer({ description: 'Counts every transcript event of the session.' }),
      segment_id: Type.Integer(),
      is_final: Type.Boolean(),
      speech_final: Type.Boolean({ description: 'This is the last final of an utterance.' }),
      from_finalize: Type.Boolean(),
      start: seconds('From the first sample of the stream.'),
      end: seconds('From the first sample of the stream.'),
      text: Type.String(),
      language: Type.String(),
      speaker,
      words: Type.Optional(
        Type.Array(Type.Object({ word: Type.String(), start: Type.Number(), end: Type.Number() })),
      ),
    },
    {
      description: 'A partial replaces the one before it with the same `segment_id`; a final never changes.',
    },
  ),
  'speaker.revision': Type.Object(
    {
      type: Type.Literal('speaker.revision'),
      revisions: Type.Array(
        Type.Object({ segment_id: Type.Integer(), speaker: Type.Integer({ minimum: 0 }) }),
      ),
    },
    { description: 'Corrects the speakers of earlier segments.' },
  ),
  warning: Type.Object(
    { type: Type.Literal('warning'), code: Type.String(), message: Type.String() },
    { description: 'Something that the client should know. The stream goes on.' },
  ),
  error: Type.Object(
    {
      type: Type.Literal('error'),
      error: Type.Object({
        message: Type.String(),
        type: Type.String(),
        param: Type.Optional(Type.String()),
        code: Type.String(),
      }),
    },
    { description: 'Says what went wrong. It comes before every close other than 1000 and 1001.' },
  ),
  'session.end': Type.Object(
    {
      type: Type.Literal('session.end'),
      reason: Type.String(),
      audio_seconds: Type.Number(),
      billed_seconds: Type.Number(),
      num_speakers: Type.Optional(Type.Integer()),
    },
    { description: 'The last event, with the seconds of audio that were received and charged.' },
  ),
} satisfies Record<SessionEvent['type'], TSchema>;

type DescribedEvent = Static<(typeof eventSchemas)[keyof typeof eventSchemas]>;
/** This does not compile when an event that is sent differs from its schema. */
export type Described<Event extends DescribedEvent = SessionEvent> = Event;
