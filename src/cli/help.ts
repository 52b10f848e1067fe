import { keyScopes } from '../../wire/account.ts';
import { consoleRoles } from '../../wire/console.ts';
import { planIds } from '../accounts/projects/plans.ts';
import { type Command, UsageError } from './command.ts';
import { optionHelp } from './option-arguments.ts';
import { exitCodes } from './terminal/exit-codes.ts';

const usage = {
  start: `siann start
  Prepares the model, runs the service, and prints its addresses and, the first time, its keys.`,
  serve: `siann serve [--role all|api|worker]
  Runs the service, and logs a line of JSON for each request. SIGTERM stops it once running requests are done.
    --role api           answers requests, and leaves recognition to workers (needs SIANN_REDIS_URL and SIANN_DATABASE_URL)
    --role worker        recognises for the services that answer requests (needs SIANN_REDIS_URL)`,
  transcribe: `siann transcribe FILE… [options]
  Writes what is said in the files (- for standard input) to standard output.
${optionHelp('file', { response_format: 'text' })}
    --json               one JSON object a line, with the file's name in it`,
  listen: `siann listen [FILE] [options]
  Plays a file at the speed of speech, or standard input (wav, or LINEAR16 at 16 kHz), to a running service and shows
  live captions: a line for each final, and in grey what is being said. A service that is restarted meanwhile misses
  nothing. Ctrl-C ends it after the last words.
${optionHelp('stream')}
    --url ADDRESS        the service (default: the one of the data folder)
    --key KEY            or SIANN_API_KEY
    --ca FILE            the certificate of the authority to trust, besides the one of the data folder
    --json               every event as one JSON object a line`,
  projects: `siann projects list
siann projects create NAME [--plan ${planIds.join('|')}]   (default: free)
siann projects rename PROJECT NAME
siann projects allow PROJECT NETWORK…|--everyone   the networks that may use its keys, as 192.0.2.0/24 or 2001:db8::/32
siann projects delete PROJECT [--yes]   its keys stop working at once; on a terminal it asks first, unless --yes
  A project is named by its name or its id. These and the next five work whether or not the service is running;
  --json prints one object a line.`,
  keys: `siann keys create --project PROJECT --environment live|test [--name NAME] [--expires 90d|2027-01-31] [--scopes SCOPES]
  Prints a new key, once: only its hash is kept. SCOPES are some of ${keyScopes.join(',')}; without them it may do everything.
siann keys list [--project PROJECT]
siann keys rename KEY NAME
siann keys regenerate KEY [--yes]   a new key replaces the old one, which stops working at once
siann keys roll KEY [--grace 24h]   a new key, and the old one works for that long still
siann keys revoke KEY [--yes]
siann keys sign KEY [--off]   requests must be signed with the secret that is printed; with --off they need not
  A key is named by its id or its first characters, as the list shows them.`,
  plans: `siann plans list
siann plans set PROJECT ${planIds.join('|')}`,
  usage: `siann usage [--project PROJECT] [--key KEY] [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--json]
  Minutes and requests of each key, of this month if no days are named; days are in UTC.`,
  users: `siann users list
siann users link [--role ${consoleRoles.join('|')}]   prints a link that lets somebody choose a name and a password for the console
siann users link --user NAME   a link for a new password of that user
siann users role NAME ${consoleRoles.join('|')}
siann users remove NAME [--yes]
  A viewer sees everything and changes nothing, an operator manages projects and keys, an owner also users.`,
  audit: `siann audit [--limit 50] [--before POSITION] [--json]
  Who changed what, when and from where, through the console and the command line.`,
  models: `siann models [--json]
  Lists the speech models: whether they are installed and prepared, and how much disk and memory they take.`,
  doctor: `siann doctor [--json] [--settings]
  Checks this machine and says how to mend what is wrong. --settings lists every setting instead.`,
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
