import { requestOptions } from '../../../wire/request-options.ts';

/** What was heard: Mandarin, English or Taiwanese. */
export const spokenLanguages = ['zh', 'en', 'nan'] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

/** What the caller asks for; `mixed` means that each window is listened to first. */
export const languageSettings = requestOptions.language.values;
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

/** How a stretch of speech sounds: the log-probability of each language, −∞ for one that the model does not know. */
export type LanguageEvidence = Record<SpokenLanguage, number>;

/** The one with the most in its favour; when nothing speaks against it, `usual`. */
export function likeliestLanguage(evidence: LanguageEvidence, usual: SpokenLanguage = 'zh'): SpokenLanguage {
  return spokenLanguages.reduce(
    (best, language) => (evidence[language] > evidence[best] ? language : best),
    usual,
  );
}
