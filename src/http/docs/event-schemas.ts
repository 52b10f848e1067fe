import { type Static, type TSchema, Type } from 'typebox';
import type { StreamOptionsEcho } from '../../../wire/option-types.ts';
import type { SessionEvent } from '../../../wire/stream-events.ts';
import { understoodSchema } from '../../options/option-schema.ts';

const seconds = (description: string) => Type.Number({ description });
const speaker = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Only where speakers are told apart.' }),
);

const configSchema = Type.Unsafe<StreamOptionsEcho>(
  understoodSchema('stream', 'What was understood of the address.'),
);

const limitsSchema = Type.Object({
  max_frame_bytes: Type.Integer(),
  max_buffered_seconds: Type.Number(),
  idle_seconds: Type.Number(),
  max_session_seconds: Type.Number(),
});

/** Every event of a stream, by its type, with the sentence that the documents say about it. */
export const eventSchemas = {
  'session.begin': Type.Object(
    {
      type: Type.Literal('session.begin'),
      session_id: Type.String(),
      expires_at: Type.String({ format: 'date-time' }),
      config: configSchema,
      limits: limitsSchema,
    },
    { description: 'The first of all.' },
  ),
  'speech.started': Type.Object(
    { type: Type.Literal('speech.started'), at: seconds('When it began.') },
    { description: 'Somebody begins to speak.' },
  ),
  transcript: Type.Object(
    {
      type: Type.Literal('transcript'),
      seq: Type.Integer({ description: 'Counts every transcript of the session.' }),
      segment_id: Type.Integer(),
      is_final: Type.Boolean(),
      speech_final: Type.Boolean({ description: 'The last final of what was said in one go.' }),
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
    { description: 'Who spoke in earlier segments, after all.' },
  ),
  warning: Type.Object(
    { type: Type.Literal('warning'), code: Type.String(), message: Type.String() },
    { description: 'Something to look at; the stream goes on.' },
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
    { description: 'What went wrong, before every close other than 1000 and 1001.' },
  ),
  'session.end': Type.Object(
    {
      type: Type.Literal('session.end'),
      reason: Type.String(),
      audio_seconds: Type.Number(),
      billed_seconds: Type.Number(),
      num_speakers: Type.Optional(Type.Integer()),
    },
    { description: 'The last of all, with what was heard and charged.' },
  ),
} satisfies Record<SessionEvent['type'], TSchema>;

type DescribedEvent = Static<(typeof eventSchemas)[keyof typeof eventSchemas]>;
/** Does not compile when what is sent and what is described grow apart. */
export type Described<Event extends DescribedEvent = SessionEvent> = Event;
