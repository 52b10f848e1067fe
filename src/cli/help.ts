import { languageSettings } from '../speech/segment.ts';
import { type Command, UsageError } from './command.ts';
import { exitCodes } from './exit-codes.ts';

const usage = {
  start: `siann start
  Prepares the model and transcribes a recording that comes with Siann, to show that everything works.`,
  transcribe: `siann transcribe FILE… [options]
  Writes what is said in the files (- for standard input) to standard output.
    --format json|verbose_json|text|srt|vtt|diarized_json   (default: text)
    --language ${languageSettings.join('|')}   (default: mixed)
    --prompt TEXT        what the recording is about, or the text that comes before it
    --hotwords A,B,…     names and terms that are likely to be said
    --words              the times of every word, with --format verbose_json
    --json               one JSON object a line, with the file's name in it`,
  models: `siann models [--json]
  Lists the speech models: whether they are installed and prepared, and what they cost.`,
  doctor: `siann doctor [--json] [--settings]
  Checks this machine and says what to do about whatever is wrong. --settings lists every setting instead.`,
  help: `siann help [COMMAND]
siann --version`,
};

export const help: Command = async (args, { stdout }) => {
  const [topic] = args;
  if (topic === undefined) stdout.write(`${Object.values(usage).join('\n\n')}\n`);
  else stdout.write(`${usageOf(topic)}\n`);
  return exitCodes.ok;
};

function usageOf(topic: string): string {
  if (!Object.hasOwn(usage, topic)) throw new UsageError(`There is no command "${topic}".`);
  return usage[topic as keyof typeof usage];
}
