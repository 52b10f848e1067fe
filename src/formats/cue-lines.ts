/** Text that may stand inside a subtitle cue, which the first blank line would end. */
export function cueLines(text: string): string {
  return text.trim().replace(/\s*[\r\n\u2028\u2029]\s*/g, '\n');
}
