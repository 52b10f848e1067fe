import { readOptions } from '../evaluation/command-options.ts';
import { figuresFolder } from './figures/record-figures.ts';

/** Every option of the commands that measure, once. Each command names those that it has, with its own defaults. */
const meanings = {
  apis: 'API nodes',
  'at-once': 'how many requests are under way at once',
  attack: 'only the attacks whose titles hold this',
  away: 'seconds for which a server is away',
  connections: 'open connections',
  context: 'short or full: how much silence the model is given after short speech',
  conversations: 'only these, between commas',
  cost: 'milliseconds that a stand-in takes for a window',
  count: 'how many sentences of each set, or how many requests',
  database: 'postgres://…, in place of SQLite',
  endpointing: 'milliseconds of silence that end an utterance',
  engines: 'siann, transformers, whisper.cpp, between commas',
  every: 'requests for each mishap',
  folder: 'where the clips of sounds lie',
  forgetful: 'Redis loses what it holds whenever it ends',
  from: 'the number of the first request',
  hours: 'length of the recording',
  json: 'a file for every sentence with its scores',
  keys: 'how many keys the requests come from',
  kills: 'how often the service is killed',
  language: 'mixed: the engine finds it; set: it is told what is spoken; or a name such as zh-TW',
  limit: 'only the first sentences of each set',
  minutes: 'how long it takes',
  model: 'small, base or tiny',
  only: 'only these checks, between commas',
  profile: 'a folder for CPU profiles of the service',
  recordings: 'how many recordings are joined from sentences',
  repeat: 'runs, of which the medians count',
  requests: 'how many requests are sent',
  revocations: 'how many keys are revoked',
  rounds: 'how often it is measured',
  seconds: 'length of the recording, or of the measurement',
  seed: 'what random choices begin with',
  sentences: 'how many sentences of each set',
  sequences: 'how many streams with random messages',
  sets: 'only these sets of recordings, between commas',
  speeds: 'each sentence at each of these speeds, such as 0.95,1,1.05',
  'stand-ins': 'numbers of workers without a model, between commas',
  streams: 'numbers of streams at once, between commas',
  threads: 'threads of the other engines',
  uploads: 'how many files are sent at once',
  verbose: 'what lies behind each figure',
  windows: 'how many windows are sent',
  workers: 'numbers of worker processes, between commas',
  worst: 'list the sentences with more than half of their units wrong',
} as const;

type OptionName = keyof typeof meanings;
type Defaults = { [Name in OptionName]?: string | boolean | undefined };

/** Where the figures are written, and what makes them again. */
export type Command = {
  /** As in package.json: `bench:speed`. */
  script: string;
  /** Undefined with `--no-figures`. */
  figuresFolder: string | undefined;
  /** Settings of the environment that change what is measured. */
  environment: string[];
  /** Options that are not as usual, apart from those that change no figure. */
  given: { name: OptionName; text: string; selects: boolean }[];
  /** The options that only one check has; a command without checks has none. */
  checks: Record<string, readonly OptionName[]> | undefined;
};

export type CommandValues<D extends Defaults> = {
  [Name in keyof D]: D[Name] extends boolean ? boolean : D[Name] extends string ? string : string | undefined;
};

const figureOptions = {
  figures: { type: 'string', default: figuresFolder },
  'no-figures': { type: 'boolean', default: false },
} as const;
/** They change what is printed or kept, and no figure. */
const withoutEffect: readonly string[] = ['verbose', 'worst', 'json', 'profile'];
/** An address may hold a password, and a folder is that of one machine. */
const secret: readonly string[] = ['database', 'folder'];
/** Settings of the service under which it is another thing that is measured. */
const settings = [
  'SIANN_ADAPTER',
  'SIANN_PRECISION',
  'SIANN_PROCESSES',
  'SIANN_THREADS',
  'SIANN_SPEAKER_MODEL',
];

type CommandOptions<D> = {
  script: string;
  defaults: D;
  /** What `--only` chooses from, each with the options that are its own. */
  checks?: Record<string, readonly OptionName[]>;
  /** They choose among figures, each of which says by itself to which it belongs. */
  selecting?: readonly OptionName[];
};

/** What the command was given, by the names of its defaults. */
export function readCommand<const D extends Defaults>({
  script,
  defaults,
  checks,
  selecting = [],
}: CommandOptions<D>): { command: Command; values: CommandValues<D> } {
  if (process.argv.includes('--help')) showHelp(script, defaults, checks ?? {});
  const names = Object.keys(defaults) as OptionName[];
  const parsed = Object.fromEntries(
    names.map((name) => {
      const usual = defaults[name];
      const type = typeof usual === 'boolean' ? ('boolean' as const) : ('string' as const);
      return [name, { type, ...(usual !== undefined && { default: usual }) }];
    }),
  );
  const values: Record<string, string | boolean | undefined> = readOptions({ ...parsed, ...figureOptions });
  const shown = (name: string) => (secret.includes(name) ? '…' : values[name]);
  const given = names
    .filter((name) => values[name] !== defaults[name] && !withoutEffect.includes(name))
    .map((name) => ({
      name,
      text: values[name] === true ? `--${name}` : `--${name} ${shown(name)}`,
      selects: selecting.includes(name),
    }));
  return {
    values: values as CommandValues<D>,
    command: {
      script,
      figuresFolder: values['no-figures'] ? undefined : String(values.figures),
      environment: settings.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : [])),
      given: given.filter(({ name }) => name !== 'only'),
      checks,
    },
  };
}

/** What gives the figures of a check again. */
export function commandLine(command: Command, check: string): string {
  const { script, environment, checks } = command;
  const only = checks ? [`--only ${check}`] : [];
  const options = [...only, ...givenTo(command, check).map(({ text }) => text)];
  return [...environment, `npm run ${script}`, ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
}

/** The options and settings with which a check measures something else than usual. */
export function definingOptions(command: Command, check: string): string | undefined {
  const defining = givenTo(command, check).filter(({ selects }) => !selects);
  return [...command.environment, ...defining.map(({ text }) => text)].join(' ') || undefined;
}

/** Without the options of other checks. */
function givenTo({ given, checks = {} }: Command, check: string): Command['given'] {
  const others = Object.entries(checks).flatMap(([name, options]) => (name === check ? [] : options));
  const own = checks[check] ?? [];
  return given.filter(({ name }) => own.includes(name) || !others.includes(name));
}

function showHelp(script: string, defaults: Defaults, checks: Record<string, readonly OptionName[]>): never {
  const usual = (value: string | boolean | undefined) =>
    value === undefined || value === false ? '' : ` (${value})`;
  const lines = Object.entries(defaults).map(([name, value]) => {
    const of = Object.entries(checks).flatMap(([check, own]) =>
      own.includes(name as OptionName) ? [check] : [],
    );
    const where = of.length > 0 ? `${of.join(', ')}: ` : '';
    return `  --${name.padEnd(14)} ${where}${meanings[name as OptionName]}${usual(value)}`;
  });
  const figures = [
    '  --figures        the folder that the figures are written to (figures/)',
    '  --no-figures     they are printed and not written',
  ];
  console.log([`npm run ${script} -- [options]`, '', ...lines, ...figures].join('\n'));
  process.exit(0);
}
