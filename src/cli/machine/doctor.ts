import { settingsPage } from '../../settings/settings-page.ts';
import { type Command, type CommandContext, parseCommandLine, refuseArguments } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Check, machineChecks } from './doctor-checks.ts';

export const doctor: Command = (args, context) => examine(args, context, machineChecks(context.loadConfig));

export async function examine(
  args: string[],
  { stdout }: Pick<CommandContext, 'stdout'>,
  checks: readonly Check[],
): Promise<number> {
  const { values, positionals } = parseCommandLine(args, {
    json: { type: 'boolean', default: false },
    settings: { type: 'boolean', default: false },
  });
  refuseArguments(positionals);
  if (values.settings) {
    stdout.write(settingsPage());
    return exitCodes.ok;
  }
  let healthy = true;
  for (const { name, run } of checks) {
    const { ok, sentence } = await run().catch((error) => ({
      ok: false,
      sentence: String(error?.message ?? error),
    }));
    healthy &&= ok;
    stdout.write(
      values.json
        ? `${JSON.stringify({ name, ok, sentence })}\n`
        : `${ok ? '✓' : '✗'} ${name}: ${sentence}\n`,
    );
  }
  return healthy ? exitCodes.ok : exitCodes.failed;
}
