import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** A program of test/contract/fixtures in a process of its own. */
export function startFixture(name: string, args: string[]) {
  const path = fileURLToPath(new URL(`../contract/fixtures/${name}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = text(child.stdout);
  const ended = once(child, 'exit');
  return {
    child,
    /** What it printed, once it has ended. */
    async lines(): Promise<string[]> {
      const [printed] = await Promise.all([output, ended]);
      return printed.split('\n').slice(0, -1);
    },
  };
}
