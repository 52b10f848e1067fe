const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{20000}-\u{3FFFD}]/u;

/** How many columns a text takes on a terminal or in subtitles. Han and other wide characters take two. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += wide.test(character) ? 2 : 1;
  return columns;
}
