import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Config } from '../settings/config.ts';
import type { CreateRecogniser } from '../wiring/create-recogniser.ts';

/** One command of `siann`. It resolves with its exit code. */
export type Command = (args: string[], context: CommandContext) => Promise<number>;

export type CommandContext = {
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /** Aborted when the user interrupts or the reader of our output goes away. */
  signal: AbortSignal;
  /** Throws a ConfigError when a setting is bad. `overrides` come from the command line and replace settings of the environment. */
  loadConfig(overrides?: Record<string, string>): Config;
  createRecogniser: CreateRecogniser;
  /** Calls the listener whenever the operator asks to read files again (SIGHUP). */
  onReload(listener: () => void): void;
};

export type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

/** The command line cannot be understood. The message says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export function parseCommandLine<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

export function refuseArguments(positionals: readonly string[]): void {
  if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not expected here.`);
}
