import type { PackedAudio } from '../../audio/samples/packed-audio.ts';
import type { IntegerKind } from '../../model/integer-kind.ts';
import type { LanguageSetting, SpokenLanguage } from '../transcript/languages.ts';
import type { SpokenStretch } from './speech-window.ts';
import type { Urgency } from './window-urgency.ts';

/** What an inference process is told when it starts. */
export type WindowJobSettings = {
  encoderPaths: string[];
  decoderPath: string;
  /** Folder of the published model, with its vocabulary and dimensions. */
  modelFolder: string;
  integers: IntegerKind;
  /** The model knows Taiwanese, and can do with short contexts. */
  adapted: boolean;
  threads: number;
  /** Windows decoded side by side. */
  slots: number;
};

/** One window to recognise. */
export type WindowJob = {
  audio: Float32Array;
  /** Where in the audio somebody speaks. */
  speech: SpokenStretch[];
  language: LanguageSetting;
  /** Text that came before or words to expect, as tokens. */
  promptTokens: number[];
  temperature: number;
  words: boolean;
  /** `short` leaves out most of the silence around the speech, where the model can do without it. */
  context: 'full' | 'short';
  /** The more urgent window is recognised first, even between the parts of another one's encoding. */
  urgency: Urgency;
  /** Whether a try that went wrong may be made again. It may not where the next window holds the same audio and more. */
  mayRetry: boolean;
  /** The tokens of an earlier, shorter window that began at the same sample. They are checked in one run, and kept as far as they still hold. */
  draft: number[];
};

/** A window as it comes from another machine. */
export type PackedWindow = Omit<WindowJob, 'audio'> & { audio: PackedAudio };

/** A window as a process is given it. */
export type ArrivedWindow = WindowJob | PackedWindow;

/** Part of a window in which one language is spoken. */
export type LanguageRun = { language: SpokenLanguage; startSeconds: number; endSeconds: number };

/** The text of a window, or, when more than one language is spoken in it, where to cut it before it is recognised. */
export type WindowResult = { recognised: RecognisedWindow } | { languages: LanguageRun[] };

/** The text of a window. Times are seconds from its start. */
export type RecognisedWindow = {
  language: SpokenLanguage;
  noSpeechProbability: number;
  temperature: number;
  averageLogProbability: number;
  compressionRatio: number;
  looped: boolean;
  /** Text and timestamps as the decoder wrote them, up to the last token of the text: the draft for a longer window. */
  tokens: number[];
  segments: RecognisedSegment[];
};

export type RecognisedSegment = {
  startSeconds: number;
  endSeconds: number;
  text: string;
  tokens: number[];
  /** One for each token. */
  logProbabilities: number[];
  words: RecognisedWord[];
};

export type RecognisedWord = { text: string; startSeconds: number; endSeconds: number; probability: number };
