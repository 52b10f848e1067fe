import { readdirSync, readFileSync } from 'node:fs';

/** The ids of this process's inference processes, from Linux's /proc. */
export function inferenceChildren(): number[] {
  return childrenRunning('pool/process/child.ts');
}

/** The ids of this process's decoder processes. */
export function decoderChildren(): number[] {
  return childrenRunning('decoding/process/decoder.ts');
}

function childrenRunning(entry: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === process.pid && readProc(pid, 'cmdline').includes(entry));
}

function parentOf(pid: number): number {
  // The name in brackets may hold anything, even brackets; the parent comes second after it.
  return Number(readProc(pid, 'stat').split(') ').at(-1)!.split(' ')[1]);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it ended meanwhile
  }
}
