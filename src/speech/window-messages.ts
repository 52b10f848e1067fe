import type { IntegerKind } from '../model/row-quantised-product.ts';
import type { LanguageSetting, SpokenLanguage } from './segment.ts';

/** What an inference process is told when it starts. */
export type WindowJobSettings = {
  encoderPath: string;
  decoderPath: string;
  /** Folder of the published model: vocabulary and measures. */
  modelFolder: string;
  integers: IntegerKind;
  threads: number;
  /** Windows decoded side by side. */
  slots: number;
};

/** One window to recognise. */
export type WindowJob = {
  audio: Float32Array;
  language: LanguageSetting;
  /** Text that came before or words to expect, as tokens. */
  promptTokens: number[];
  temperature: number;
  words: boolean;
};

/** What was heard in it; times are seconds from the start of the window. */
export type RecognisedWindow = {
  language: SpokenLanguage;
  noSpeechProbability: number;
  temperature: number;
  averageLogProbability: number;
  compressionRatio: number;
  looped: boolean;
  segments: RecognisedSegment[];
};

export type RecognisedSegment = {
  startSeconds: number;
  endSeconds: number;
  /** The model gave the end itself; otherwise the audio ended first. */
  closed: boolean;
  text: string;
  tokens: number[];
  /** One for each token. */
  logProbabilities: number[];
  words: RecognisedWord[];
};

export type RecognisedWord = { text: string; startSeconds: number; endSeconds: number; probability: number };
