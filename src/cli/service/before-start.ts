import type { Config } from '../../settings/config.ts';
import { checkDataFolder, checkDiskSpace, checkMemory, freeMemory } from '../machine/doctor-checks.ts';

/** What would stop the service later, or make it crawl, said before anything is begun. Throws what cannot be worked around. */
export async function checkBeforeStart(config: Config): Promise<string[]> {
  const folder = await checkDataFolder(config.dataFolder);
  // What is wrong with it is said best by whoever needs it first.
  if (!folder.ok) return [];
  const disk = await checkDiskSpace(config.dataFolder);
  if (!disk.ok) throw new Error(`There is not enough disk space: ${disk.sentence}`);
  const memory = checkMemory(freeMemory(), config.memoryLimitMegabytes);
  return memory.ok ? [] : [`There is little memory: ${memory.sentence}`];
}

/** The disk may fill up on the way too. */
export function explainStartFailure(error: unknown): unknown {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const sentence = 'The disk is full. Free about 1 GB, or set SIANN_DATA to a folder on another disk.';
  return new Error(sentence, { cause: error });
}
