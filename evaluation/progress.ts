/** One line on the terminal, which the next one replaces. A file gets none. */
export function showProgress(text: string): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r${text}\x1b[K`);
}

/** What is printed next begins on a line of its own. */
export function endProgress(): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write('\n');
}
