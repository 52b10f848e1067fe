/** One piece of the transcript with its times, in seconds from the start of the audio. */
export type Segment = {
  id: number;
  startSeconds: number;
  endSeconds: number;
  text: string;
  language: SpokenLanguage;
  words: Word[];
  speaker?: number;
  /** OpenAI's per-segment figures, for `verbose_json`. */
  tokens: number[];
  temperature: number;
  averageLogProbability: number;
  compressionRatio: number;
  noSpeechProbability: number;
};

export type Word = { text: string; startSeconds: number; endSeconds: number; probability: number };

/** What was heard: Mandarin, English or Taiwanese. */
export const spokenLanguages = ['zh', 'en', 'nan'] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

/** What the caller asks for; `mixed` means that each window is listened to first. */
export const languageSettings = ['mixed', 'zh-TW', 'zh-CN', 'en-US', 'nan-TW'] as const;
export type LanguageSetting = (typeof languageSettings)[number];

/** What to ask for so that one language is heard. */
export const settingOfLanguage = {
  zh: 'zh-TW',
  en: 'en-US',
  nan: 'nan-TW',
} as const satisfies Record<SpokenLanguage, LanguageSetting>;

/** The language that a caller asks for; undefined for `mixed`. */
export function languageOfSetting(setting: LanguageSetting): SpokenLanguage | undefined {
  if (setting === 'mixed') return undefined;
  return setting.slice(0, setting.indexOf('-')) as SpokenLanguage;
}

/** A finished transcript: what the response formats are written from. */
export type Transcript = {
  durationSeconds: number;
  language: SpokenLanguage;
  segments: Segment[];
  numSpeakers?: number;
};
