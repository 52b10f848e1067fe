import { readdirSync, readFileSync } from 'node:fs';

export type MemorySampling = { stop(): { peakBytes: number } };

/**
 * Samples the resident memory of all processes that are started below this one from now on; pages that they share are
 * counted once for each.
 */
export function sampleChildMemory(intervalMilliseconds = 100): MemorySampling {
  const earlier = new Set(descendantsOf(process.pid));
  let peakBytes = 0;
  const sample = () => {
    const started = descendantsOf(process.pid).filter((pid) => !earlier.has(pid));
    peakBytes = Math.max(peakBytes, totalBytes(started));
  };
  const timer = setInterval(sample, intervalMilliseconds);
  return {
    stop() {
      clearInterval(timer);
      return { peakBytes };
    },
  };
}

/** Samples the resident memory of this process and all below it. */
export function sampleTreeMemory(intervalMilliseconds: number): { stop(): { samplesBytes: number[] } } {
  const samplesBytes: number[] = [];
  const timer = setInterval(
    () => samplesBytes.push(totalBytes([process.pid, ...descendantsOf(process.pid)])),
    intervalMilliseconds,
  );
  return {
    stop() {
      clearInterval(timer);
      return { samplesBytes };
    },
  };
}

function totalBytes(pids: number[]): number {
  return pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
}

function descendantsOf(pid: number): number[] {
  const children = listed(`/proc/${pid}/task`).flatMap((thread) =>
    contents(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [...children, ...children.flatMap(descendantsOf)];
}

function residentBytes(pid: number): number {
  const [, kilobytes] = contents(`/proc/${pid}/status`).match(/^VmRSS:\s+(\d+) kB/m) ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

// A process may end while it is being looked at; it then counts for nothing.
function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function contents(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
