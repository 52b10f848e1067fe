/** The schemas of the formats in src/formats, for the OpenAPI document. */
import { Type } from 'typebox';
import { errorSchema } from '../server/error-schema.ts';

const closed = { additionalProperties: false };
const seconds = (description: string) => Type.Number({ minimum: 0, description });

const summary = {
  task: Type.Literal('transcribe'),
  duration: seconds('Length of the audio in seconds.'),
  text: Type.String({ description: 'The full transcript.' }),
  num_speakers: Type.Optional(Type.Integer({ description: 'Only when speakers are told apart.' })),
};

const timed = { start: seconds('In seconds.'), end: seconds('In seconds.'), text: Type.String() };
const speaker = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Only when speakers are told apart.' }),
);
const plainSegment = { id: Type.Integer({ minimum: 0 }), ...timed, speaker };

export const jsonSchema = Type.Object(
  { ...summary, segments: Type.Array(Type.Object(plainSegment, closed)) },
  { title: 'Transcript (json)', ...closed },
);

const verboseSegment = Type.Object(
  {
    ...plainSegment,
    seek: Type.Integer(),
    tokens: Type.Array(Type.Integer()),
    temperature: Type.Number(),
    avg_logprob: Type.Number(),
    compression_ratio: Type.Number(),
    no_speech_prob: Type.Number(),
  },
  closed,
);

const word = Type.Object(
  { word: Type.String(), start: seconds('In seconds.'), end: seconds('In seconds.') },
  closed,
);

export const verboseJsonSchema = Type.Object(
  {
    ...summary,
    language: Type.String({ description: 'The language that was spoken for the longest time.' }),
    segments: Type.Optional(Type.Array(verboseSegment)),
    words: Type.Optional(Type.Array(word)),
  },
  { title: 'Transcript (verbose_json)', ...closed },
);

export const segmentEventSchema = Type.Object(
  { type: Type.Literal('transcript.text.segment'), id: Type.String(), ...timed, speaker },
  { title: 'Segment event', ...closed },
);

export const diarizedJsonSchema = Type.Object(
  { ...summary, segments: Type.Array(segmentEventSchema) },
  { title: 'Transcript (diarized_json)', ...closed },
);

export const deltaEventSchema = Type.Object(
  {
    type: Type.Literal('transcript.text.delta'),
    delta: Type.String({ description: 'All deltas joined together are the text.' }),
    segment_id: Type.String(),
  },
  { title: 'Delta event', ...closed },
);

export const doneEventSchema = Type.Object(
  {
    type: Type.Literal('transcript.text.done'),
    text: Type.String(),
    usage: Type.Object({ type: Type.Literal('duration'), seconds: seconds('What was charged.') }, closed),
  },
  { title: 'Done event', ...closed },
);

export const errorEventSchema = Type.Object(
  { type: Type.Literal('error'), error: errorSchema.properties.error },
  { title: 'Error event', ...closed },
);
