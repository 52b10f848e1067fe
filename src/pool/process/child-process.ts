import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FromChild, ToChild } from './messages.ts';

export type ChildProcessEvents = {
  message(message: FromChild): void;
  /** Called once, after everything else, whether the process ended or failed to start. */
  exit(cause: Error): void;
};

export type JobProcess = {
  readonly pid: number | undefined;
  /** Throws when the message holds something that cannot be copied, such as a function. */
  send(message: ToChild): void;
  kill(): void;
};

/** Forks `child.ts`; children write to stderr only, since the parent's stdout may be a transcript. */
export function forkJobProcess(events: ChildProcessEvents): JobProcess {
  let exited = false;
  const exit = (cause: Error) => {
    if (!exited) events.exit(cause);
    exited = true;
  };
  const child = forkEntry(exit);
  child?.on('message', (message) => {
    if (!exited) events.message(message as FromChild);
  });
  child?.on('disconnect', () => child.kill('SIGKILL'));
  child?.on('exit', (code, signal) =>
    exit(new Error(`The inference process ended ${signal ? `by ${signal}` : `with exit code ${code}`}.`)),
  );
  // With a pid, a write or a kill failed, and 'exit' follows. Without one, there is no process at all.
  child?.on('error', (error) => {
    if (child.pid === undefined) exit(error);
  });

  return {
    pid: child?.pid,
    send(message) {
      if (child?.connected) child.send(message, () => {});
    },
    kill() {
      child?.kill('SIGKILL');
    },
  };
}

/** `fork` reports some system errors (no memory) by throwing and others by an event. */
function forkEntry(exit: (cause: Error) => void): ChildProcess | undefined {
  try {
    return fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
      serialization: 'advanced',
      execArgv: ['--import', import.meta.resolve('tsx')],
      stdio: ['ignore', 2, 2, 'ipc'],
    });
  } catch (error) {
    setImmediate(() => exit(error as Error));
    return undefined;
  }
}
