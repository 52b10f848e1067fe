import { invalidValue } from '../../options/option-value.ts';
import type { OptionTexts } from '../../options/read-options.ts';
import type { LanguageSetting } from '../../speech/transcript/languages.ts';

/** The names of languages in other services, with our setting for each. */
const settings: [pattern: RegExp, setting: LanguageSetting][] = [
  [/^(mixed|multi|auto)$/, 'mixed'],
  [/^zh-(cn|sg|hans)/, 'zh-CN'],
  [/^(zh|cmn)(-|$)/, 'zh-TW'],
  [/^en(-|$)/, 'en-US'],
  [/^nan(-|$)/, 'nan-TW'],
];

/** Of a language tag (RFC 5646, section 4.4.1). */
const maxTagLength = 35;

export function readSpokenLanguage(name: string | undefined, param: string): LanguageSetting {
  const asked = name?.trim().toLowerCase().replace('_', '-');
  if (!asked) return 'mixed';
  const known = asked.length <= maxTagLength && settings.find(([pattern]) => pattern.test(asked));
  if (known) return known[1];
  throw invalidValue(param, `\`${param}\` is one of zh-TW, zh-CN, en-US, nan-TW, or multi for all of them.`);
}

/** Replaces the name of the language by our name for it. */
export function translateLanguage(texts: OptionTexts, name: string): OptionTexts {
  const asked = texts.get(name);
  return asked
    ? new Map([...texts, [name, asked.map((each) => each && readSpokenLanguage(each, name))]])
    : texts;
}
