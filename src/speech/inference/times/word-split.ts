import { decodeText, type Vocabulary } from '../decoding/vocabulary.ts';

export type TokenWord = { text: string; tokens: number[] };

const han = /\p{Script=Han}/u;

/** Groups tokens into words. A Chinese word is a token (a character or a common word), a Latin word ends at a space, and punctuation belongs to the word before it. */
export function splitWords(vocabulary: Vocabulary, tokens: readonly number[]): TokenWord[] {
  const words: TokenWord[] = [];
  for (const unit of wholeCharacters(vocabulary, tokens)) {
    const last = words.at(-1);
    if (last && belongsTo(last.text, unit.text)) {
      last.text += unit.text;
      last.tokens.push(...unit.tokens);
    } else {
      words.push(unit);
    }
  }
  return words;
}

function belongsTo(word: string, next: string): boolean {
  if (/^[\p{P}\p{S}]+$/u.test(next.trim()) && !/^\s/.test(next)) return true;
  if (next.startsWith(' ')) return false;
  return !han.test(next) && !han.test(word);
}

/** Tokens may end inside a character: joins them until every character is whole. */
function wholeCharacters(vocabulary: Vocabulary, tokens: readonly number[]): TokenWord[] {
  const units: TokenWord[] = [];
  let pending: number[] = [];
  for (const token of tokens) {
    pending.push(token);
    if (endsInsideCharacter(vocabulary.bytesOf(pending))) continue;
    units.push({ text: decodeText(vocabulary, pending), tokens: pending });
    pending = [];
  }
  if (pending.length > 0) units.push({ text: decodeText(vocabulary, pending), tokens: pending });
  return units;
}

function endsInsideCharacter(bytes: Uint8Array): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return false;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
  }
  return false;
}
