import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Files with which a test and the processes it starts wait for each other. */
export type GateFiles = {
  path(name: string): string;
  /** Lets those go on who wait for the file. */
  open(name: string): void;
  /** Resolves when the file exists; whoever waits in vain fails after a minute. */
  opened(name: string): Promise<void>;
  remove(): void;
};

export function createGateFiles(): GateFiles {
  const folder = mkdtempSync(join(tmpdir(), 'siann-gates-'));
  const path = (name: string) => join(folder, name);
  return {
    path,
    open: (name) => writeFileSync(path(name), ''),
    async opened(name) {
      const deadline = AbortSignal.timeout(60_000);
      while (!existsSync(path(name))) await delay(5, undefined, { signal: deadline });
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
