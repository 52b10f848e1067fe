import { readFile } from 'node:fs/promises';
import { ConfigError, loadConfig } from '../settings/config.ts';
import { environmentWithFiles } from '../settings/environment-files.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { interruption } from './terminal/interruption.ts';

// A command's code is loaded only when it runs, so that small commands start fast.
const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./service/start.ts')).start,
  serve: async () => (await import('./service/serve.ts')).serve,
  transcribe: async () => (await import('./recordings/transcribe.ts')).transcribe,
  listen: async () => (await import('./recordings/listen.ts')).listen,
  projects: async () => (await import('./accounts/projects.ts')).projects,
  keys: async () => (await import('./accounts/keys.ts')).keys,
  plans: async () => (await import('./accounts/plans.ts')).plans,
  usage: async () => (await import('./accounts/usage.ts')).usage,
  users: async () => (await import('./accounts/users.ts')).users,
  audit: async () => (await import('./accounts/audit.ts')).audit,
  models: async () => (await import('./machine/models.ts')).models,
  doctor: async () => (await import('./machine/doctor.ts')).doctor,
  help: async () => (await import('./help.ts')).help,
};

/** Runs one command line and resolves with its exit code. */
export async function runCommandLine(args: string[], context: CommandContext): Promise<number> {
  try {
    return await dispatch(args, context);
  } catch (error) {
    if (context.signal.aborted) return context.signal.reason?.exitCode ?? exitCodes.interrupted;
    if (error instanceof UsageError) {
      const topic = Object.hasOwn(commands, args[0] ?? '') ? ` ${args[0]}` : '';
      context.stderr.write(`${error.message}\nSee: siann help${topic}\n`);
      return exitCodes.usage;
    }
    if (error instanceof ConfigError) {
      context.stderr.write(`${error.message}\nEvery setting: siann doctor --settings\n`);
      return exitCodes.usage;
    }
    context.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failed;
  }
}

async function dispatch(args: string[], context: CommandContext): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (name === '--version' || name === '-v') {
    context.stdout.write(`${await version()}\n`);
    return exitCodes.ok;
  }
  const wantsHelp = name === '--help' || name === '-h' || rest.includes('--help') || rest.includes('-h');
  const command = wantsHelp ? 'help' : name;
  if (!Object.hasOwn(commands, command)) throw new UsageError(`There is no command "${name}".`);
  const run = await commands[command]!();
  return run(wantsHelp ? args.slice(0, 1).filter((arg) => !arg.startsWith('-')) : rest, context);
}

async function version(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return JSON.parse(manifest).version;
}

/** Runs a command line with the streams, settings and signals of this process. */
export async function main(args: string[]): Promise<void> {
  const { stdin, stdout, stderr } = process;
  const signal = interruption(process);
  process.exitCode = await runCommandLine(args, {
    stdin,
    stdout,
    stderr,
    signal,
    loadConfig: (overrides) => loadConfig({ ...environmentWithFiles(process.env), ...overrides }),
    createRecogniser: async (options) =>
      (await import('../wiring/create-recogniser.ts')).createRecogniser(options),
    onReload: (listener) => void process.on('SIGHUP', listener),
  });
  // An interrupted start may still be starting inference processes. They end with this process.
  if (signal.aborted) process.exit();
  stdin.destroy();
}
