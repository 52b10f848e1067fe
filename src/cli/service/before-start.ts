import type { Config } from '../../settings/config.ts';
import { checkDataFolder, checkDiskSpace, checkMemory, freeMemory } from '../machine/doctor-checks.ts';

/** Warnings about what would make the service slow. Throws when there is too little disk space to start. */
export async function checkBeforeStart(config: Config): Promise<string[]> {
  const folder = await checkDataFolder(config.dataFolder);
  // The part that first writes to the folder reports what is wrong with it best.
  if (!folder.ok) return [];
  const disk = await checkDiskSpace(config.dataFolder);
  if (!disk.ok) throw new Error(`There is not enough disk space: ${disk.sentence}`);
  const memory = checkMemory(freeMemory(), config.memoryLimitMegabytes);
  return memory.ok ? [] : [`There is little memory: ${memory.sentence}`];
}

/** Says in a sentence that the disk became full during the start. Other errors stay as they are. */
export function explainStartFailure(error: unknown): unknown {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const sentence = 'The disk is full. Free about 1 GB, or set SIANN_DATA to a folder on another disk.';
  return new Error(sentence, { cause: error });
}
