import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StandInWorkerOptions } from './stand-in-worker.ts';

export type StandInWorkers = AsyncDisposable & {
  /** Starts more until there are so many. */
  growTo(count: number): Promise<void>;
};

const entry = fileURLToPath(new URL('./stand-in-worker.ts', import.meta.url));
const startedAtOnce = 4;

export function createStandInWorkers(options: StandInWorkerOptions): StandInWorkers {
  const workers: ChildProcess[] = [];
  const start = async () => {
    const worker = fork(entry, [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
    workers.push(worker);
    await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => Promise.reject(new Error('A stand-in worker did not start.'))),
    ]);
  };
  return {
    async growTo(count) {
      while (workers.length < count) {
        const missing = Math.min(startedAtOnce, count - workers.length);
        await Promise.all(Array.from({ length: missing }, start));
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = workers.map(async (worker) => {
        if (worker.exitCode !== null || worker.signalCode !== null) return;
        const exited = once(worker, 'exit');
        worker.disconnect();
        await exited;
      });
      await Promise.all(ended);
    },
  };
}
