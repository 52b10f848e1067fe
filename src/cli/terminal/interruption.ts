import { exitCodes } from './exit-codes.ts';

/** The reason why a command stopped early, with the exit code for it. */
class Interruption extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Aborts at the first Ctrl-C, and when the reader of our output has gone (`siann … | head`). A second Ctrl-C kills the process. */
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
