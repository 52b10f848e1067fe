const killFactor = 1.5;

type MemoryUse = { rssBytes: number; limitBytes: number; hasWorked: boolean };

/**
 * A process above its limit retires once its jobs are done. One that has not answered any job yet does not retire: its replacement
 * would start out just as large, and no work would ever be done. A process far above the limit endangers the machine, and is killed.
 */
export function judgeMemory({ rssBytes, limitBytes, hasWorked }: MemoryUse): 'fine' | 'retire' | 'kill' {
  if (rssBytes > limitBytes * killFactor) return 'kill';
  return rssBytes > limitBytes && hasWorked ? 'retire' : 'fine';
}

export function memoryExceeded(name: string, rssBytes: number, limitBytes: number): Error {
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  return new Error(
    `The ${name} used ${mebibytes(rssBytes)} of memory; its limit is ${mebibytes(limitBytes)}.`,
  );
}
