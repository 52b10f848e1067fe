import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TemporaryDatabase = AsyncDisposable & { url: string };

/** A SQLite file in a folder of its own, which goes with it. */
export async function temporarySqlite(): Promise<TemporaryDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'siann-database-'));
  return {
    url: join(folder, 'siann.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
