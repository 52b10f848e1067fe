import { requestOptions } from '../../../wire/request-options.ts';

/** The languages that are recognised: Mandarin, English, Taiwanese. */
export const spokenLanguages = ['zh', 'en', 'nan'] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

/** What the caller asks for; with `mixed`, the language of each stretch of speech is detected. */
export const languageSettings = requestOptions.language.values;
export type LanguageSetting = (typeof languageSettings)[number];

/** The setting with which only this language is recognised. */
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

/** The log-probability of each language for a stretch of speech; −∞ for one that the model does not know. */
export type LanguageEvidence = Record<SpokenLanguage, number>;

/** The language with the highest evidence; `usual` unless another one is higher. */
export function likeliestLanguage(evidence: LanguageEvidence, usual: SpokenLanguage = 'zh'): SpokenLanguage {
  return spokenLanguages.reduce(
    (best, language) => (evidence[language] > evidence[best] ? language : best),
    usual,
  );
}
