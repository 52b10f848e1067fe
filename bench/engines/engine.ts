/** A recogniser that can be measured. */
export interface Engine {
  readonly name: EngineName;
  transcribe(file: string, options?: TranscribeOptions): Promise<Transcription>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const engineNames = ['siann', 'transformers', 'whisper.cpp'] as const;
export const engineTitles = {
  siann: 'Siann',
  transformers: 'transformers.js',
  'whisper.cpp': 'whisper.cpp',
} as const;
export type EngineName = (typeof engineNames)[number];

export const modelSizes = ['small', 'base', 'tiny'] as const;
export type ModelSize = (typeof modelSizes)[number];

export type EngineOptions = {
  model: ModelSize;
  threads: number;
  /** Ours alone: how much silence the model is given after short speech. */
  context?: 'full' | 'short';
};

export type TranscribeOptions = {
  /** `zh`, `en` or a setting such as `zh-TW`; without it the engine listens for itself. */
  language?: string;
};

/** `seconds` is what the engine needed, without the decoding that a peer has done for it. */
export type Transcription = {
  text: string;
  seconds: number;
  /** The language that was found for the longest time, for engines that say so. */
  language?: string;
  stages?: StageTimes;
};

/** Where the time went, for engines that can say so. */
export type StageTimes = {
  encoderSeconds: number;
  /** How much audio went through the encoder, padding included: 30 for each full window. */
  encodedSeconds: number;
  decoderSeconds: number;
  decoderTokens: number;
};
