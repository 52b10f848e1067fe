import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { SiannError } from '../../client/siann.ts';
import { english, type Word } from './english.ts';
import { taiwanMandarin, taiwanMandarinErrors } from './taiwan-mandarin.ts';

export type ConsoleLanguage = 'en' | 'zh-TW';

type Translation = {
  language: ConsoleLanguage;
  setLanguage(language: ConsoleLanguage): void;
  /** The text of a word, with its values filled in. */
  say(word: Word, values?: Record<string, string | number>): string;
  /** What went wrong and what to do about it, in the reader's language. */
  explain(error: unknown): string;
  date(iso: string): string;
  time(iso: string): string;
  number(value: number, digits?: number): string;
};

const TranslationContext = createContext<Translation | undefined>(undefined);

/** The browser may store this, because it is neither a secret nor part of a transcript. */
const storageName = 'siann-language';

export function TranslationProvider({ children }: { children: ComponentChildren }) {
  const [language, setLanguage] = useState<ConsoleLanguage>(preferred);
  useEffect(() => {
    document.documentElement.lang = language;
    localStorage.setItem(storageName, language);
  }, [language]);
  return (
    <TranslationContext.Provider value={createTranslation(language, setLanguage)}>
      {children}
    </TranslationContext.Provider>
  );
}

export function useTranslation(): Translation {
  return useContext(TranslationContext)!;
}

function preferred(): ConsoleLanguage {
  const kept = localStorage.getItem(storageName);
  if (kept === 'en' || kept === 'zh-TW') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh-TW' : 'en';
}

function createTranslation(
  language: ConsoleLanguage,
  setLanguage: (language: ConsoleLanguage) => void,
): Translation {
  const words: Record<Word, string> = language === 'en' ? english : taiwanMandarin;
  const say: Translation['say'] = (word, values = {}) =>
    words[word].replace(/\{(\w+)\}/g, (_match, name: string) => String(values[name] ?? ''));
  return {
    language,
    setLanguage,
    say,
    explain(error) {
      if (!(error instanceof SiannError)) return say('unexpected');
      if (error.code === 'connection_failed') return say('offline');
      return (language === 'zh-TW' && taiwanMandarinErrors[error.code]) || error.message;
    },
    date: (iso) => new Date(iso).toLocaleDateString(language, { dateStyle: 'medium' }),
    time: (iso) => new Date(iso).toLocaleTimeString(language, { timeStyle: 'short' }),
    number: (value, digits = 0) => value.toLocaleString(language, { maximumFractionDigits: digits }),
  };
}
