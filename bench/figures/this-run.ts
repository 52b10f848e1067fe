import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FigureRun } from './figure-file.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is being measured, on what, and when. */
export function describeThisRun(): Omit<FigureRun, 'rows'> {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: currentCommit(),
    processor: {
      model: cpus()[0]?.model ?? 'unknown',
      architecture: process.arch,
      cores: availableParallelism(),
    },
    node: process.versions.node,
  };
}

function currentCommit(): string {
  const git = (...options: string[]) =>
    execFileSync('git', ['-C', root, ...options], { encoding: 'utf8' }).trim();
  // Figures and pages are written by the commands themselves and change nothing that is measured.
  const changed = git('status', '--porcelain', '--', '.', ':!figures', ':!docs') !== '';
  return git('rev-parse', '--short', 'HEAD') + (changed ? '-dirty' : '');
}
