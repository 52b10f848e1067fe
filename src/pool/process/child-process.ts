import { type ChildProcess, fork } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

export type ChildProcessEvents<From> = {
  message(message: From): void;
  /** Called once, after everything else, whether the process ended or failed to start. */
  exit(cause: Error): void;
};

export type ForkedProcess<To> = {
  readonly pid: number | undefined;
  /** Throws when the message holds something that cannot be copied, such as a function. */
  send(message: To): void;
  kill(): void;
};

export type ForkOptions = {
  /** The module that the process runs. */
  entry: URL;
  /** What messages call the process: "The … ended by SIGKILL." */
  name: string;
  /** As in `nice`: who gives way to whom. Whoever waits for an answer of the parent waits for milliseconds, so the parent comes first. */
  niceness: number;
  /** Of node, before the module. */
  flags?: readonly string[];
  /** The environment variables that it sees; without a list, all of them. */
  sees?: readonly string[];
};

/** Forks a module; children write to stderr only, since the parent's stdout may be a transcript. */
export function forkProcess<To extends object, From>(
  options: ForkOptions,
  events: ChildProcessEvents<From>,
): ForkedProcess<To> {
  let exited = false;
  const exit = (cause: Error) => {
    if (!exited) events.exit(cause);
    exited = true;
  };
  const child = forkEntry(options, exit);
  if (child?.pid) giveWay(child.pid, options.niceness);
  child?.on('message', (message) => {
    if (!exited) events.message(message as From);
  });
  child?.on('disconnect', () => child.kill('SIGKILL'));
  child?.on('exit', (code, signal) =>
    exit(new Error(`The ${options.name} ended ${signal ? `by ${signal}` : `with exit code ${code}`}.`)),
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

/** Its threads inherit it, since they are started later. */
function giveWay(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already.
  }
}

/** `fork` reports some system errors (no memory) by throwing and others by an event. */
function forkEntry(
  { entry, flags = [], sees }: ForkOptions,
  exit: (cause: Error) => void,
): ChildProcess | undefined {
  const seen = sees && Object.fromEntries(sees.map((variable) => [variable, process.env[variable]]));
  try {
    return fork(fileURLToPath(entry), [], {
      serialization: 'advanced',
      execArgv: [...flags, '--import', import.meta.resolve('tsx')],
      stdio: ['ignore', 2, 2, 'ipc'],
      ...(seen && { env: seen }),
    });
  } catch (error) {
    setImmediate(() => exit(error as Error));
    return undefined;
  }
}
