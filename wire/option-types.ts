// Made from request-options.ts by `npm run options`.

/** What a file can be sent with. */
export type FileOptions = {
  /** The one model. */
  model: 'siann-1';
  /** What is spoken. `mixed` detects it in every passage. Chinese is written in Traditional characters, except for `zh-CN`. */
  language: 'mixed' | 'zh-TW' | 'zh-CN' | 'en-US' | 'nan-TW';
  /** How the transcript is written. Without it, `Accept: text/plain` gives text and everything else json. */
  responseFormat?: 'json' | 'verbose_json' | 'text' | 'srt' | 'vtt' | 'diarized_json';
  /** What gets times. `word` needs `verbose_json`; with `word` alone, segments are left out. */
  timestampGranularities: readonly ('word' | 'segment')[];
  /** Send events while the file is transcribed. */
  stream: boolean;
  /** Text that came before, or that shows the style and the names. */
  prompt?: string;
  /** 0 takes the likeliest words; more than that draws them ever more freely. */
  temperature: number;
  /** Names and terms to expect, with commas between them. */
  hotwords: readonly string[];
  /** Tell speakers apart. Every segment gets a `speaker`, and none spans two of them. For a file with `stream=true` the events then come at the end, when everybody has been heard; `diarized_json` implies it. */
  speakerDiarization: boolean;
  /** How many speakers there are, where that is known. Without it, they are counted. */
  numSpeakers?: number;
  /** How wide a line of `srt` and `vtt` may be, in columns. A Han character takes two. Lines are cut between words, after punctuation where there is some. */
  maxLineWidth?: number;
};

/** What a stream can be opened with. */
export type StreamOptions = {
  /** What is spoken. `mixed` detects it in every passage. Chinese is written in Traditional characters, except for `zh-CN`. */
  language: 'mixed' | 'zh-TW' | 'zh-CN' | 'en-US' | 'nan-TW';
  /** Names and terms to expect, with commas between them. */
  hotwords: readonly string[];
  /** Tell speakers apart. Every segment gets a `speaker`, and none spans two of them. For a file with `stream=true` the events then come at the end, when everybody has been heard; `diarized_json` implies it. */
  speakerDiarization: boolean;
  /** What the binary messages hold, mono. `LINEAR16` is little-endian. */
  encoding: 'LINEAR16' | 'FLAC' | 'MULAW';
  /** Samples a second, of `LINEAR16` and `MULAW`. */
  sampleRate: number;
  /** Send partials while somebody speaks. */
  interimResults: boolean;
  /** The pause that ends an utterance, in milliseconds. */
  endpointingMs: number;
  /** Times for every word of a final. */
  words: boolean;
};

/** The same as `session.begin` repeats it. */
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
