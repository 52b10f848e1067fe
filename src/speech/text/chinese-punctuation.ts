import type { SpokenLanguage } from '../transcript/languages.ts';

/** The model's text made clean: control characters gone, one kind of space, and full-width marks in Chinese. */
export function tidyText(text: string, language: SpokenLanguage): string {
  const clean = text
    .replace(/\r\n?/g, '\n')
    .replace(unprintable, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
  // Chinese quoted in English keeps the English marks around it, so Chinese rules are for Chinese windows only.
  return language === 'en' ? clean : tidyChinese(clean);
}

// U+FFFD comes from a multi-byte character cut by the decoder; the others are controls and invisible formatting marks.
const unprintable = /[\uFFFD\p{Cf}]|(?![\n\t])\p{Cc}/gu;

const fullWidth: Record<string, string> = {
  ',': '，',
  '?': '？',
  '!': '！',
  ':': '：',
  ';': '；',
  '.': '。',
};

// The model's own spaces around Latin words are kept; a space is dropped between Han characters and beside wide marks.
const spaceInHan = /(?<=[\p{Script=Han}”…]) (?=[\p{Script=Han}“])/gu;
const spaceBesideMark = / (?=[，。？！：；、」』）》])|(?<=[，。？！：；、「」『』（）《》]) /gu;

// A mark belongs to the Chinese before it. A single full stop is one; an ellipsis is left as the model wrote it.
const halfWidthAfterHan =
  /(?<=[\p{Script=Han}」』）》”]) ?([,?!:;]+|\.(?!\.))(?![/\\])(?: (?=\p{Script=Han})| ?$)?/gmu;

// A clause that closed on a Latin word or a number, with Chinese after it: 他說OK,我們走. Never 1,000 or 12:30.
const halfWidthBeforeHan = /(?<=[\p{L}\p{N}]) ?([,?!:;])(?: (?=\p{Script=Han})|(?=\p{Script=Han}))/gu;

function tidyChinese(text: string): string {
  return text
    .replace(halfWidthAfterHan, (_, marks: string) => widen(marks))
    .replace(halfWidthBeforeHan, (_, mark: string) => widen(mark))
    .replace(spaceInHan, '')
    .replace(spaceBesideMark, '');
}

function widen(marks: string): string {
  return [...marks].map((mark) => fullWidth[mark] ?? mark).join('');
}
