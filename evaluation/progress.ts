/** One line on the terminal, which the next one replaces. */
export function showProgress(text: string): void {
  process.stderr.write(`\r${text}\x1b[K`);
}

/** What is printed next begins on a line of its own. */
export function endProgress(): void {
  process.stderr.write('\n');
}
