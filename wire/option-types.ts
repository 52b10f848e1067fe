// Made from request-options.ts by `npm run options`.

/** The options of a request that sends a file. */
export type FileOptions = {
  /** The speech model. There is only one. */
  model: 'siann-1';
  /** The language that is spoken. `mixed` detects it in every passage. Chinese is written in Traditional characters, except with `zh-CN`. */
  language: 'mixed' | 'zh-TW' | 'zh-CN' | 'en-US' | 'nan-TW';
  /** The format of the transcript. Without it, a request that accepts only `text/plain` gets text, and every other request gets json. */
  responseFormat?: 'json' | 'verbose_json' | 'text' | 'srt' | 'vtt' | 'diarized_json';
  /** The parts of the transcript that get times. `word` needs `verbose_json`; with `word` alone, segments are left out. */
  timestampGranularities: readonly ('word' | 'segment')[];
  /** Send events while the file is transcribed. */
  stream: boolean;
  /** Text that came before the recording, or text that shows its style and its names. Only its end is used, about 200 tokens. */
  prompt?: string;
  /** How freely words are chosen. 0 takes the most likely ones; higher values choose more freely. */
  temperature: number;
  /** Names and terms to expect, with commas between them. If there are very many, only the last ones are used, about 100 tokens. */
  hotwords: readonly string[];
  /** Tell speakers apart. Every segment gets a `speaker`, and no segment has two. For a file with `stream=true`, the events then come at the end, when the whole file has been recognised. `diarized_json` turns this on. */
  speakerDiarization: boolean;
  /** How many speakers there are, if that is known. Without it, they are counted. */
  numSpeakers?: number;
  /** The greatest width of a line of `srt` and `vtt`, in columns. A Han character takes two columns. Lines are cut between words, after punctuation if possible. */
  maxLineWidth?: number;
};

/** The options of a request that opens a stream. */
export type StreamOptions = {
  /** The language that is spoken. `mixed` detects it in every passage. Chinese is written in Traditional characters, except with `zh-CN`. */
  language: 'mixed' | 'zh-TW' | 'zh-CN' | 'en-US' | 'nan-TW';
  /** Names and terms to expect, with commas between them. If there are very many, only the last ones are used, about 100 tokens. */
  hotwords: readonly string[];
  /** Tell speakers apart. Every segment gets a `speaker`, and no segment has two. For a file with `stream=true`, the events then come at the end, when the whole file has been recognised. `diarized_json` turns this on. */
  speakerDiarization: boolean;
  /** The encoding of the audio in binary messages, which is mono. `LINEAR16` is little-endian. */
  encoding: 'LINEAR16' | 'FLAC' | 'MULAW';
  /** Samples per second, for `LINEAR16` and `MULAW`. */
  sampleRate: number;
  /** Send partials while somebody speaks. */
  interimResults: boolean;
  /** The pause that ends an utterance, in milliseconds. */
  endpointingMs: number;
  /** Send the times of every word of a final. */
  words: boolean;
};

/** The options of a stream, as `session.begin` repeats them. */
export type StreamOptionsEcho = {
  language: 'mixed' | 'zh-TW' | 'zh-CN' | 'en-US' | 'nan-TW';
  hotwords: readonly string[];
  speaker_diarization: boolean;
  encoding: 'LINEAR16' | 'FLAC' | 'MULAW';
  sample_rate: number;
  interim_results: boolean;
  endpointing_ms: number;
  words: boolean;
};
