import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { XStatic } from 'typebox/schema';

/**
 * Every setting with its sentence: the one source of the checks, the types and docs/settings.md. It is written as the
 * JSON Schema that TypeBox would build, and TypeBox gives its types; building it at run time would add 0.2 s to each start.
 */
export const settingsSchema = {
  type: 'object',
  required: [
    'SIANN_DATA',
    'SIANN_MODEL',
    'SIANN_CACHE',
    'SIANN_PROCESSES',
    'SIANN_THREADS',
    'SIANN_MEMORY_LIMIT_MB',
  ],
  properties: {
    SIANN_DATA: {
      type: 'string',
      default: './data',
      description:
        'The data folder. The default lies in the project folder; a relative path starts where the command is run.',
    },
    SIANN_MODEL: {
      type: 'string',
      enum: ['small', 'base', 'tiny'],
      default: 'small',
      description: 'The speech model: small is the most accurate, tiny the quickest and lightest.',
    },
    SIANN_CACHE: {
      type: 'string',
      default: '<data>/models',
      description:
        'The folder for prepared models. It can be deleted at any time and is made again when needed.',
    },
    SIANN_PROCESSES: {
      type: 'integer',
      minimum: 0,
      maximum: 256,
      default: 0,
      description:
        'How many inference processes to run, a whole number up to 256; 0 chooses by cores and memory.',
    },
    SIANN_THREADS: {
      type: 'integer',
      minimum: 0,
      maximum: 256,
      default: 0,
      description:
        'How many threads each inference process uses, a whole number up to 256; 0 chooses by cores.',
    },
    SIANN_MEMORY_LIMIT_MB: {
      type: 'integer',
      minimum: 200,
      maximum: 1_048_576,
      default: 1200,
      description:
        'How many megabytes one inference process may hold before it is replaced, a whole number of 200 or more.',
    },
  },
} as const;

/** Read by the benchmarks, not by the product. */
const foreignSettings = /^SIANN_(SPEECH|BENCH_.*)$/;

type Settings = XStatic<typeof settingsSchema>;
type SettingName = keyof typeof settingsSchema.properties;
type SettingSchema = { type: string; enum?: readonly string[]; minimum?: number; maximum?: number };

export type Config = Readonly<{
  dataFolder: string;
  model: Settings['SIANN_MODEL'];
  cacheFolder: string;
  processes: number;
  threads: number;
  memoryLimitMegabytes: number;
}>;

export type SettingProblem = { key: string; sentence: string };

export class ConfigError extends Error {
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(['Some settings cannot be used:', ...problems.map((p) => `  ${p.key}: ${p.sentence}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The settings in `env`, checked all at once. An empty value counts as not set. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.entries(env).filter(([key, value]) => key.startsWith('SIANN_') && value);
  const problems = given.flatMap(([key, value]) => problemWith(key, value!));
  if (problems.length > 0) throw new ConfigError(problems);

  const read = (name: SettingName) => env[name] || undefined;
  const readInteger = (name: SettingName) => Number(read(name) ?? settingsSchema.properties[name].default);
  const data = read('SIANN_DATA');
  const dataFolder = data === undefined ? join(projectFolder, 'data') : resolve(data);
  return Object.freeze({
    dataFolder,
    model: (read('SIANN_MODEL') ?? settingsSchema.properties.SIANN_MODEL.default) as Config['model'],
    cacheFolder: resolve(read('SIANN_CACHE') ?? join(dataFolder, 'models')),
    processes: readInteger('SIANN_PROCESSES'),
    threads: readInteger('SIANN_THREADS'),
    memoryLimitMegabytes: readInteger('SIANN_MEMORY_LIMIT_MB'),
  });
}

/** The text of docs/settings.md. */
export function settingsTable(): string {
  const rows = Object.entries(settingsSchema.properties).map(([key, schema]) => {
    const allowed = 'enum' in schema ? ` One of: ${schema.enum.join(', ')}.` : '';
    return `| \`${key}\` | \`${schema.default}\` | ${schema.description}${allowed} |`;
  });
  return [
    '# Settings',
    '',
    'Set as environment variables or in a `.env` file in the project folder. Made from the schema in `src/config.ts` by',
    '`siann doctor --settings`.',
    '',
    '| setting | default | |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

function problemWith(key: string, value: string): SettingProblem[] {
  if (foreignSettings.test(key)) return [];
  if (!Object.hasOwn(settingsSchema.properties, key)) return [{ key, sentence: 'unknown setting.' }];
  const schema = settingsSchema.properties[key as SettingName];
  if (isAllowed(schema, value)) return [];
  const allowed = 'enum' in schema ? ` One of: ${schema.enum.join(', ')}.` : '';
  return [{ key, sentence: `"${value}" is not allowed. ${schema.description}${allowed}` }];
}

function isAllowed(schema: SettingSchema, value: string): boolean {
  if (schema.enum) return schema.enum.includes(value);
  if (schema.type !== 'integer') return true;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
}
