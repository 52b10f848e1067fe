import type { CommandContext } from '../command.ts';
import { unlessAborted } from './until-aborted.ts';

/** On a terminal, asks before something is lost, and throws unless the answer is yes. */
export async function confirm(
  question: string,
  { stdin, stderr, signal }: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>,
): Promise<void> {
  if (!stdin.isTTY) return;
  stderr.write(`${question} Go on? [y/N] `);
  const answer = await unlessAborted(firstLine(stdin), signal);
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
