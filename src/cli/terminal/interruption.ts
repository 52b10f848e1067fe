import { exitCodes } from './exit-codes.ts';

/** Why the work was given up, and the exit code that says so. */
export class Interruption extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Aborts at the first Ctrl-C, letting a second one kill, and when the reader of our output has gone (`siann … | head`). */
export function interruption(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const stop = (exitCode: number) => controller.abort(new Interruption('Interrupted.', exitCode));
  process.once('SIGINT', () => stop(exitCodes.interrupted));
  process.once('SIGTERM', () => stop(exitCodes.terminated));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort(new Interruption('Nobody reads the output any more.', exitCodes.ok));
  });
  return controller.signal;
}
