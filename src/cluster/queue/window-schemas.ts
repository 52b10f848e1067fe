import { Type } from 'typebox';
import { languageSettings, spokenLanguages } from '../../speech/transcript/languages.ts';
import { urgencies } from '../../speech/windows/window-urgency.ts';

// The bounds are several times what thirty seconds of speech can give.
const mostTokens = 2_000;
const mostSegments = 500;
const mostWords = 2_000;
const longestText = 20_000;

const seconds = Type.Number({ minimum: -1, maximum: 60 });
const probability = Type.Number({ minimum: 0, maximum: 1.001 });
const logProbability = Type.Number({ minimum: -1e6, maximum: 1 });
const figure = Type.Number({ minimum: 0, maximum: 1e6 });
const tokens = Type.Array(Type.Integer({ minimum: 0, maximum: 1_000_000 }), { maxItems: mostTokens });
const text = Type.String({ maxLength: longestText });
const exactly = { additionalProperties: false };

const word = Type.Object({ text, startSeconds: seconds, endSeconds: seconds, probability }, exactly);

const segment = Type.Object(
  {
    startSeconds: seconds,
    endSeconds: seconds,
    text,
    tokens,
    logProbabilities: Type.Array(logProbability, { maxItems: mostTokens }),
    words: Type.Array(word, { maxItems: mostWords }),
  },
  exactly,
);

const recognised = Type.Object(
  {
    language: oneOf(spokenLanguages),
    noSpeechProbability: probability,
    temperature: figure,
    averageLogProbability: logProbability,
    compressionRatio: figure,
    looped: Type.Boolean(),
    tokens,
    segments: Type.Array(segment, { maxItems: mostSegments }),
  },
  exactly,
);

const languageRun = Type.Object(
  { language: oneOf(spokenLanguages), startSeconds: seconds, endSeconds: seconds },
  exactly,
);

/** A `WindowResult`. */
export const windowResultSchema = Type.Union([
  Type.Object({ recognised }, exactly),
  Type.Object({ languages: Type.Array(languageRun, { maxItems: mostSegments }) }, exactly),
]);

/** A `WindowJob` without its samples, with the amplitude that the largest sample stands for. */
export const windowHeadSchema = Type.Object(
  {
    speech: Type.Array(Type.Object({ startSeconds: seconds, endSeconds: seconds }, exactly), {
      maxItems: mostSegments,
    }),
    language: oneOf(languageSettings),
    promptTokens: tokens,
    temperature: figure,
    words: Type.Boolean(),
    context: oneOf(['full', 'short']),
    urgency: oneOf(urgencies),
    mayRetry: Type.Boolean(),
    draft: tokens,
    fullScale: Type.Number({ minimum: 1, maximum: Number.MAX_VALUE }),
  },
  exactly,
);

function oneOf(values: readonly string[]) {
  return Type.Union(values.map((value) => Type.Literal(value)));
}
