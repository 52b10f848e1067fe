import type { CommandContext } from '../command.ts';

/** Asks before something is lost, where somebody is there to answer. */
export async function confirm(
  question: string,
  { stdin, stderr, signal }: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>,
): Promise<void> {
  if (!stdin.isTTY) return;
  stderr.write(`${question} Go on? [y/N] `);
  const answer = await Promise.race([firstLine(stdin), untilAborted(signal)]);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Error('Nothing was changed.');
}

async function firstLine(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  let line = '';
  for await (const chunk of stdin) {
    line += Buffer.from(chunk).toString('utf8');
    if (line.includes('\n')) break;
  }
  return line.split('\n', 1)[0]!;
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
