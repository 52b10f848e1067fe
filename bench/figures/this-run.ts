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

/** Where there is no clone, such as on a machine that was only handed the files, `SIANN_BENCH_COMMIT` says it. */
function currentCommit(): string {
  const said = process.env.SIANN_BENCH_COMMIT;
  if (said) return said;
  const git = (...options: string[]) =>
    execFileSync('git', ['-C', root, ...options], { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    // Figures and pages are written by the commands themselves and change nothing that is measured.
    const changed = git('status', '--porcelain', '--', '.', ':!figures', ':!docs') !== '';
    return git('rev-parse', '--short', 'HEAD') + (changed ? '-dirty' : '');
  } catch (cause) {
    const sentence = 'A figure names the commit that was measured, and this is no clone of the project.';
    throw new Error(`${sentence} Set SIANN_BENCH_COMMIT, or give --no-figures.`, { cause });
  }
}
