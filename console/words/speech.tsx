import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { SiannError } from '../../client/siann.ts';
import { english, type Word } from './english.ts';
import { taiwanMandarin, taiwanMandarinErrors } from './taiwan-mandarin.ts';

export type SpokenBy = 'en' | 'zh-TW';

export type Speech = {
  language: SpokenBy;
  setLanguage(language: SpokenBy): void;
  say(word: Word, values?: Record<string, string | number>): string;
  /** What went wrong, in the reader's language, and what to do about it. */
  explain(error: unknown): string;
  date(iso: string): string;
  time(iso: string): string;
  number(value: number, digits?: number): string;
};

const Spoken = createContext<Speech | undefined>(undefined);

/** Not a secret, and nothing anybody said. */
const storageName = 'siann-language';

export function SpeechProvider({ children }: { children: ComponentChildren }) {
  const [language, setLanguage] = useState<SpokenBy>(preferred);
  useEffect(() => {
    document.documentElement.lang = language;
    localStorage.setItem(storageName, language);
  }, [language]);
  return <Spoken.Provider value={createSpeech(language, setLanguage)}>{children}</Spoken.Provider>;
}

export function useSpeech(): Speech {
  return useContext(Spoken)!;
}

function preferred(): SpokenBy {
  const kept = localStorage.getItem(storageName);
  if (kept === 'en' || kept === 'zh-TW') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh-TW' : 'en';
}

function createSpeech(language: SpokenBy, setLanguage: (language: SpokenBy) => void): Speech {
  const words: Record<Word, string> = language === 'en' ? english : taiwanMandarin;
  const say: Speech['say'] = (word, values = {}) =>
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
