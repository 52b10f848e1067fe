/**
 * The table of everything that a request can ask for. The OpenAPI and AsyncAPI documents, the readers of forms, addresses and
 * command lines, the names in other services' dialects, the tables of the guides, and the types in option-types.ts
 * (`npm run options`) all come from it. To add an option, add one entry here and the code that carries it out.
 */

export type RequestOption = {
  /** The requests that it applies to: those that send a file, those that open a stream, or both. */
  in: readonly ('file' | 'stream')[];
  /** What it does, in plain sentences. The help of the command line shows only the first one. */
  sentence: string;
  /** Other names that it may have in the address of a stream. */
  aliases?: readonly string[];
  /** Its names in the dialects of other services, if they have such an option. */
  dialects?: Partial<Record<Dialect, readonly string[]>>;
  /** For an option that comes after the file: says whether recognition must start over, because it began with another value. */
  startsOver?: (started: unknown, wanted: unknown) => boolean;
  /** How the command line spells it: another name, or a flag that stands for one value. False: the command line has no such option. */
  command?: { name: string; value?: string; sentence?: string } | false;
  /** Set when every request must send it. */
  required?: true;
} & OptionKind;

/** The type of the value. */
export type OptionKind =
  | ({ kind: 'text'; default?: string } & TextBounds)
  /** Several texts. The option is sent several times, or once with commas between the texts. */
  | ({ kind: 'list'; default?: readonly string[] } & TextBounds)
  | { kind: 'number' | 'whole'; minimum: number; maximum: number; default?: number }
  | { kind: 'flag'; default?: boolean }
  | Choice<'choice', string>
  /** Several values out of a fixed set. */
  | Choice<'choices', readonly string[]>;

/** In characters, of all texts of a list together. */
type TextBounds = {
  /** A longer value is refused. */
  maxLength: number;
  /** Of a longer value, only so many bytes at its end are used. */
  usedBytes?: number;
};

type Choice<Kind, Default> = {
  kind: Kind;
  values: readonly string[];
  /** A longer text is refused, before it is cut into values. */
  maxLength?: number;
  /** Other spellings of a value. */
  synonyms?: Readonly<Record<string, string>>;
  /** Capital and small letters count as the same. */
  anyCase?: true;
  /** The error code for a value that is not in the set, if it is not `invalid_value`. */
  unknown?: 'model_not_found';
  default?: Default;
};

export type Dialect = 'deepgram' | 'whisperlivekit' | 'openai';

const changed = (started: unknown, wanted: unknown) => JSON.stringify(started) !== JSON.stringify(wanted);

/** Word times that were computed but are not wanted do no harm. */
const wordsAdded = (started: unknown, wanted: unknown) =>
  (wanted as string[]).includes('word') && !(started as string[]).includes('word');

/** The model takes about 200 tokens, which are 800 bytes of English and 600 of Chinese. A text is cut before its tokens are counted. */
const usedPromptBytes = 2000;

export const requestOptions = {
  model: {
    in: ['file'],
    kind: 'choice',
    values: ['siann-1'],
    unknown: 'model_not_found',
    required: true,
    sentence: 'The speech model. There is only one.',
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
      'The language that is spoken. `mixed` detects it in every passage. Chinese is written in Traditional characters, except with `zh-CN`.',
    aliases: ['language_code', 'languageCode'],
    dialects: { deepgram: ['language'], whisperlivekit: ['language'], openai: ['language'] },
    startsOver: changed,
  },
  response_format: {
    in: ['file'],
    kind: 'choice',
    values: ['json', 'verbose_json', 'text', 'srt', 'vtt', 'diarized_json'],
    sentence:
      'The format of the transcript. Without it, a request that accepts only `text/plain` gets text, and every other request gets json.',
    command: { name: 'format' },
  },
  timestamp_granularities: {
    in: ['file'],
    kind: 'choices',
    values: ['word', 'segment'],
    maxLength: 1000,
    default: [],
    sentence:
      'The parts of the transcript that get times. `word` needs `verbose_json`; with `word` alone, segments are left out.',
    startsOver: wordsAdded,
    command: {
      name: 'words',
      value: 'word,segment',
      sentence: 'Write the times of every word; needs --format verbose_json.',
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
    usedBytes: usedPromptBytes,
    sentence:
      'Text that came before the recording, or text that shows its style and its names. Only its end is used, about 200 tokens.',
    startsOver: changed,
  },
  temperature: {
    in: ['file'],
    kind: 'number',
    minimum: 0,
    maximum: 1,
    default: 0,
    sentence: 'How freely words are chosen. 0 takes the most likely ones; higher values choose more freely.',
    startsOver: changed,
  },
  hotwords: {
    in: ['file', 'stream'],
    kind: 'list',
    maxLength: 65_536,
    usedBytes: usedPromptBytes,
    default: [],
    sentence:
      'Names and terms to expect, with commas between them. If there are very many, only the last ones are used, about 100 tokens.',
    dialects: { deepgram: ['keyterm', 'keywords'] },
    startsOver: changed,
  },
  speaker_diarization: {
    in: ['file', 'stream'],
    kind: 'flag',
    default: false,
    sentence:
      'Tell speakers apart. Every segment gets a `speaker`, and no segment has two. For a file with `stream=true`, the events then come at the end, when the whole file has been recognised. `diarized_json` turns this on.',
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
    sentence: 'How many speakers there are, if that is known. Without it, they are counted.',
    startsOver: changed,
    command: { name: 'speakers' },
  },
  max_line_width: {
    in: ['file'],
    kind: 'whole',
    minimum: 10,
    maximum: 200,
    sentence:
      'The greatest width of a line of `srt` and `vtt`, in columns. A Han character takes two columns. Lines are cut between words, after punctuation if possible.',
  },
  encoding: {
    in: ['stream'],
    kind: 'choice',
    values: ['LINEAR16', 'FLAC', 'MULAW'],
    synonyms: { pcm_s16le: 'LINEAR16', ulaw: 'MULAW', pcmu: 'MULAW' },
    anyCase: true,
    default: 'LINEAR16',
    sentence: 'The encoding of the audio in binary messages, which is mono. `LINEAR16` is little-endian.',
    dialects: { deepgram: ['encoding'] },
    command: false,
  },
  sample_rate: {
    in: ['stream'],
    kind: 'whole',
    minimum: 8000,
    maximum: 48_000,
    default: 16_000,
    sentence: 'Samples per second, for `LINEAR16` and `MULAW`.',
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
      sentence: 'Send only finals, and no partials while somebody speaks.',
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
    sentence: 'Send the times of every word of a final.',
  },
} as const satisfies Record<string, RequestOption>;
