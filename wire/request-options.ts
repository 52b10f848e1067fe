/**
 * Everything that a request can ask for, once. From this table come the OpenAPI and AsyncAPI documents, the readers of forms,
 * addresses and command lines, the names in other services' dialects, the tables of the guides, and the types in
 * option-types.ts (`npm run options`). A new option is one entry here, and the code that does what it asks for.
 */

export type RequestOption = {
  /** Where it applies: a file that is sent, a stream that is opened, or both. */
  in: readonly ('file' | 'stream')[];
  /** What it does, in plain sentences; the first one alone is the help of the command line. */
  sentence: string;
  /** Other names in the address of a stream. */
  aliases?: readonly string[];
  /** Its names in the dialects of other services, where they have it. */
  dialects?: Partial<Record<Dialect, readonly string[]>>;
  /** When it comes after the file: whether recognition, which has begun without it, must start over. */
  startsOver?: (started: unknown, wanted: unknown) => boolean;
  /** On the command line: another name than its own, or a flag that stands for a value; false where it makes no sense. */
  command?: { name: string; value?: string; sentence?: string } | false;
  /** Only for one that must be sent. */
  required?: true;
} & OptionKind;

/** What its value is. */
export type OptionKind =
  | { kind: 'text'; maxLength?: number; default?: string }
  /** Several texts: the option several times, or once with commas between them. */
  | { kind: 'list'; default?: readonly string[] }
  | { kind: 'number' | 'whole'; minimum: number; maximum: number; default?: number }
  | { kind: 'flag'; default?: boolean }
  | Choice<'choice', string>
  /** Several of them. */
  | Choice<'choices', readonly string[]>;

type Choice<Kind, Default> = {
  kind: Kind;
  values: readonly string[];
  /** Other spellings of a value. */
  synonyms?: Readonly<Record<string, string>>;
  /** Capital and small letters mean the same. */
  anyCase?: true;
  /** What another value is called, where that has a name of its own. */
  unknown?: 'model_not_found';
  default?: Default;
};

export type Dialect = 'deepgram' | 'whisperlivekit' | 'openai';

const changed = (started: unknown, wanted: unknown) => JSON.stringify(started) !== JSON.stringify(wanted);

/** Words that nobody wants do no harm. */
const wordsAdded = (started: unknown, wanted: unknown) =>
  (wanted as string[]).includes('word') && !(started as string[]).includes('word');

export const requestOptions = {
  model: {
    in: ['file'],
    kind: 'choice',
    values: ['siann-1'],
    unknown: 'model_not_found',
    required: true,
    sentence: 'The one model.',
    command: false,
  },
  language: {
    in: ['file', 'stream'],
    kind: 'choice',
    values: ['mixed', 'zh-TW', 'zh-CN', 'en-US', 'nan-TW'],
    synonyms: { zh: 'zh-TW', en: 'en-US', nan: 'nan-TW' },
    anyCase: true,
    default: 'mixed',
    sentence:
      'What is spoken. `mixed` detects it in every passage. Chinese is written in Traditional characters, except for `zh-CN`.',
    aliases: ['language_code', 'languageCode'],
    dialects: { deepgram: ['language'], whisperlivekit: ['language'], openai: ['language'] },
    startsOver: changed,
  },
  response_format: {
    in: ['file'],
    kind: 'choice',
    values: ['json', 'verbose_json', 'text', 'srt', 'vtt', 'diarized_json'],
    sentence:
      'How the transcript is written. Without it, `Accept: text/plain` gives text and everything else json.',
    command: { name: 'format' },
  },
  timestamp_granularities: {
    in: ['file'],
    kind: 'choices',
    values: ['word', 'segment'],
    default: [],
    sentence: 'What gets times. `word` needs `verbose_json`; with `word` alone, segments are left out.',
    startsOver: wordsAdded,
    command: {
      name: 'words',
      value: 'word,segment',
      sentence: 'The times of every word, with --format verbose_json.',
    },
  },
  stream: {
    in: ['file'],
    kind: 'flag',
    default: false,
    sentence: 'Send events while the file is transcribed.',
    command: false,
  },
  prompt: {
    in: ['file'],
    kind: 'text',
    maxLength: 65_536,
    sentence: 'Text that came before, or that shows the style and the names.',
    startsOver: changed,
  },
  temperature: {
    in: ['file'],
    kind: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
    sentence: '0 takes the likeliest words; more than that draws them ever more freely.',
    startsOver: changed,
  },
  hotwords: {
    in: ['file', 'stream'],
    kind: 'list',
    default: [],
    sentence: 'Names and terms to expect, with commas between them.',
    dialects: { deepgram: ['keyterm', 'keywords'] },
    startsOver: changed,
  },
  speaker_diarization: {
    in: ['file', 'stream'],
    kind: 'flag',
    default: false,
    sentence:
      'Tell speakers apart. Every segment gets a `speaker`, and none spans two of them. For a file with `stream=true` the events then come at the end, when everybody has been heard; `diarized_json` implies it.',
    aliases: ['diarize'],
    dialects: { deepgram: ['diarize'], whisperlivekit: ['diarization'] },
    startsOver: changed,
    command: { name: 'diarize' },
  },
  num_speakers: {
    in: ['file'],
    kind: 'whole',
    minimum: 1,
    maximum: 10,
    sentence: 'How many speakers there are, where that is known. Without it, they are counted.',
    startsOver: changed,
    command: { name: 'speakers' },
  },
  max_line_width: {
    in: ['file'],
    kind: 'whole',
    minimum: 10,
    maximum: 200,
    sentence:
      'How wide a line of `srt` and `vtt` may be, in columns. A Han character takes two. Lines are cut between words, after punctuation where there is some.',
  },
  encoding: {
    in: ['stream'],
    kind: 'choice',
    values: ['LINEAR16', 'FLAC', 'MULAW'],
    synonyms: { pcm_s16le: 'LINEAR16', ulaw: 'MULAW', pcmu: 'MULAW' },
    anyCase: true,
    default: 'LINEAR16',
    sentence: 'What the binary messages hold, mono. `LINEAR16` is little-endian.',
    dialects: { deepgram: ['encoding'] },
    command: false,
  },
  sample_rate: {
    in: ['stream'],
    kind: 'whole',
    minimum: 8000,
    maximum: 48_000,
    default: 16_000,
    sentence: 'Samples a second, of `LINEAR16` and `MULAW`.',
    aliases: ['sampleRate', 'sample_rate_hertz', 'sampleRateHertz'],
    dialects: { deepgram: ['sample_rate'] },
    command: false,
  },
  interim_results: {
    in: ['stream'],
    kind: 'flag',
    default: true,
    sentence: 'Send partials while somebody speaks.',
    command: {
      name: 'no-interim',
      value: 'false',
      sentence: 'Finals only, no partials while somebody speaks.',
    },
    aliases: ['interimResults'],
    dialects: { deepgram: ['interim_results'] },
  },
  endpointing_ms: {
    in: ['stream'],
    kind: 'whole',
    minimum: 10,
    maximum: 5000,
    default: 500,
    sentence: 'The pause that ends an utterance, in milliseconds.',
    dialects: { deepgram: ['endpointing'] },
  },
  words: {
    in: ['stream'],
    kind: 'flag',
    default: false,
    sentence: 'Times for every word of a final.',
  },
} as const satisfies Record<string, RequestOption>;

export type OptionName = keyof typeof requestOptions;
