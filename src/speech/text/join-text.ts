// Han, kana and full-width marks are written without spaces between them.
const unspacedEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFF65…—]$/u;
const unspacedStart = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFF00-\uFF65…—]/u;

/** Joins pieces into one text: without a space where one side of the joint is Chinese, with one space otherwise. */
export function joinText(pieces: readonly string[]): string {
  const joined: string[] = [];
  let last = '';
  for (const piece of pieces) {
    const text = piece.trim();
    if (text === '') continue;
    if (last !== '' && !unspacedEnd.test(last) && !unspacedStart.test(text)) joined.push(' ');
    joined.push(text);
    last = text;
  }
  return joined.join('');
}
