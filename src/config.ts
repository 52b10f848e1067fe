import { isIP } from 'node:net';
import { hostname } from 'node:os';
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
    'SIANN_DATABASE',
    'SIANN_INSTANCE',
    'SIANN_MODEL',
    'SIANN_ADAPTER',
    'SIANN_CACHE',
    'SIANN_PROCESSES',
    'SIANN_THREADS',
    'SIANN_MEMORY_LIMIT_MB',
    'SIANN_HOST',
    'SIANN_PORT',
    'SIANN_TEST_PORT',
    'SIANN_TLS',
    'SIANN_TLS_CERT',
    'SIANN_TLS_KEY',
    'SIANN_TRUSTED_PROXIES',
    'SIANN_CORS_ORIGINS',
    'SIANN_METRICS_ALLOW',
    'SIANN_LOG_LEVEL',
    'SIANN_DRAIN_SECONDS',
    'SIANN_MAX_CONNECTIONS',
    'SIANN_HEADERS_SECONDS',
    'SIANN_KEEP_ALIVE_SECONDS',
    'SIANN_UPLOAD_IDLE_SECONDS',
    'SIANN_UPLOAD_BYTES_PER_SECOND',
    'SIANN_MAX_TRANSCRIPTIONS',
  ],
  properties: {
    SIANN_DATA: {
      type: 'string',
      default: './data',
      description:
        'The data folder. The default lies in the project folder; a relative path starts where the command is run.',
    },
    SIANN_DATABASE: {
      type: 'string',
      format: 'database',
      default: '<data>/siann.db',
      description:
        'Where accounts and usage are kept: a file for SQLite, or postgres://user:password@host/name for PostgreSQL.',
    },
    SIANN_INSTANCE: {
      type: 'string',
      default: '<host name>:<port>',
      description:
        'The name of this service among those that share a database: another for each, and the same after a restart.',
    },
    SIANN_MODEL: {
      type: 'string',
      enum: ['small', 'base', 'tiny'],
      default: 'small',
      description: 'The speech model: small is the most accurate, tiny the quickest and lightest.',
    },
    SIANN_ADAPTER: {
      type: 'string',
      enum: ['own', 'none'],
      default: 'own',
      description:
        'What was learnt on top of the published weights, for Taiwanese and short recordings: own is the adapter that comes with Siann, none leaves it out.',
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
    SIANN_HOST: {
      type: 'string',
      format: 'host',
      default: 'localhost',
      description:
        'The address or name to listen on. The default is reached from this machine only; 0.0.0.0 or :: from everywhere.',
    },
    SIANN_PORT: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 8443,
      description: 'The port of the live environment, up to 65535; 0 takes any free one.',
    },
    SIANN_TEST_PORT: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 8444,
      description: 'The port of the test environment, up to 65535; 0 takes any free one.',
    },
    SIANN_TLS: {
      type: 'string',
      enum: ['on', 'proxy'],
      default: 'on',
      description:
        'Who speaks HTTPS: on is Siann itself; proxy is a proxy in front of it, which is then spoken to in plain HTTP.',
    },
    SIANN_TLS_CERT: {
      type: 'string',
      default: '<data>/tls/server.pem',
      description:
        'The file with your own certificate and its chain (PEM), read again when it changes. By default Siann makes one.',
    },
    SIANN_TLS_KEY: {
      type: 'string',
      default: '<data>/tls/server-key.pem',
      description: 'The file with the private key of your own certificate (PEM), not encrypted.',
    },
    SIANN_TRUSTED_PROXIES: {
      type: 'string',
      format: 'networks',
      default: '127.0.0.0/8,::1/128',
      description:
        'With SIANN_TLS=proxy: the addresses of the proxies whose X-Forwarded-For and X-Forwarded-Proto count, as networks with commas between.',
    },
    SIANN_CORS_ORIGINS: {
      type: 'string',
      format: 'origins',
      default: '',
      description:
        'Web pages that may call the service from a browser, as origins (https://app.example) with commas between, or *.',
    },
    SIANN_METRICS_ALLOW: {
      type: 'string',
      format: 'networks',
      default: '127.0.0.0/8,::1/128',
      description: 'Who may read /metrics, as networks with commas between.',
    },
    SIANN_LOG_LEVEL: {
      type: 'string',
      enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      default: 'info',
      description: 'How much is logged; info is a line for every request.',
    },
    SIANN_DRAIN_SECONDS: {
      type: 'integer',
      minimum: 0,
      maximum: 86_400,
      default: 30,
      description: 'How long running requests may go on when the service is told to stop, in seconds.',
    },
    SIANN_MAX_CONNECTIONS: {
      type: 'integer',
      minimum: 8,
      maximum: 1_000_000,
      default: 4096,
      description:
        'How many connections each environment holds open, a whole number of 8 or more; one address may have a quarter of them, save a trusted proxy.',
    },
    SIANN_HEADERS_SECONDS: {
      type: 'integer',
      minimum: 1,
      maximum: 3600,
      default: 15,
      description: 'How long a client may take to send the headers of a request, in seconds.',
    },
    SIANN_KEEP_ALIVE_SECONDS: {
      type: 'integer',
      minimum: 1,
      maximum: 3600,
      default: 65,
      description: 'How long a connection stays open without a request, in seconds.',
    },
    SIANN_UPLOAD_IDLE_SECONDS: {
      type: 'integer',
      minimum: 1,
      maximum: 3600,
      default: 30,
      description: 'How long an upload may pause before it is cut off, in seconds.',
    },
    SIANN_UPLOAD_BYTES_PER_SECOND: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000_000,
      default: 1000,
      description:
        'How quick an upload must be on average once it has gone on for 30 seconds, in bytes a second; slower ones are cut off.',
    },
    SIANN_MAX_TRANSCRIPTIONS: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 256,
      description:
        'How many files may be transcribed at once, those that wait for their turn included; more are told to come back.',
    },
  },
} as const;

/** Read by the benchmarks, not by the product. */
const foreignSettings = /^SIANN_(SPEECH|BENCH_.*)$/;

type Settings = XStatic<typeof settingsSchema>;
type SettingName = keyof typeof settingsSchema.properties;
type SettingSchema = {
  type: string;
  format?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
};

export type Config = Readonly<{
  dataFolder: string;
  /** `postgres://…`, or the path of a file. */
  databaseUrl: string;
  instance: string;
  model: Settings['SIANN_MODEL'];
  adapter: Settings['SIANN_ADAPTER'];
  cacheFolder: string;
  processes: number;
  threads: number;
  memoryLimitMegabytes: number;
  host: string;
  port: number;
  testPort: number;
  tls: Settings['SIANN_TLS'];
  /** The operator's own certificate; without it a development CA makes one. */
  certificate: { certPath: string; keyPath: string } | undefined;
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  metricsAllow: readonly string[];
  logLevel: Settings['SIANN_LOG_LEVEL'];
  drainSeconds: number;
  maxConnections: number;
  headersSeconds: number;
  keepAliveSeconds: number;
  uploadIdleSeconds: number;
  uploadBytesPerSecond: number;
  maxTranscriptions: number;
  /** Where spans go, as OpenTelemetry's own variable says; without it none are made. */
  otlpEndpoint: string | undefined;
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
  const problems = [...given.flatMap(([key, value]) => problemWith(key, value!)), ...conflicts(env)];
  if (problems.length > 0) throw new ConfigError(problems);

  const read = (name: SettingName) => env[name] || undefined;
  const readInteger = (name: SettingName) => Number(read(name) ?? settingsSchema.properties[name].default);
  const readList = (name: SettingName) => listed(read(name) ?? `${settingsSchema.properties[name].default}`);
  const data = read('SIANN_DATA');
  const dataFolder = data === undefined ? join(projectFolder, 'data') : resolve(data);
  return Object.freeze({
    dataFolder,
    databaseUrl: databaseUrl(read('SIANN_DATABASE') ?? join(dataFolder, 'siann.db')),
    instance: read('SIANN_INSTANCE') ?? `${hostname()}:${readInteger('SIANN_PORT')}`,
    model: (read('SIANN_MODEL') ?? settingsSchema.properties.SIANN_MODEL.default) as Config['model'],
    adapter: (read('SIANN_ADAPTER') ?? settingsSchema.properties.SIANN_ADAPTER.default) as Config['adapter'],
    cacheFolder: resolve(read('SIANN_CACHE') ?? join(dataFolder, 'models')),
    processes: readInteger('SIANN_PROCESSES'),
    threads: readInteger('SIANN_THREADS'),
    memoryLimitMegabytes: readInteger('SIANN_MEMORY_LIMIT_MB'),
    host: read('SIANN_HOST') ?? settingsSchema.properties.SIANN_HOST.default,
    port: readInteger('SIANN_PORT'),
    testPort: readInteger('SIANN_TEST_PORT'),
    tls: (read('SIANN_TLS') ?? settingsSchema.properties.SIANN_TLS.default) as Config['tls'],
    certificate: read('SIANN_TLS_CERT')
      ? { certPath: resolve(read('SIANN_TLS_CERT')!), keyPath: resolve(read('SIANN_TLS_KEY')!) }
      : undefined,
    trustedProxies: readList('SIANN_TRUSTED_PROXIES'),
    corsOrigins: readList('SIANN_CORS_ORIGINS'),
    metricsAllow: readList('SIANN_METRICS_ALLOW'),
    logLevel: (read('SIANN_LOG_LEVEL') ??
      settingsSchema.properties.SIANN_LOG_LEVEL.default) as Config['logLevel'],
    drainSeconds: readInteger('SIANN_DRAIN_SECONDS'),
    maxConnections: readInteger('SIANN_MAX_CONNECTIONS'),
    headersSeconds: readInteger('SIANN_HEADERS_SECONDS'),
    keepAliveSeconds: readInteger('SIANN_KEEP_ALIVE_SECONDS'),
    uploadIdleSeconds: readInteger('SIANN_UPLOAD_IDLE_SECONDS'),
    uploadBytesPerSecond: readInteger('SIANN_UPLOAD_BYTES_PER_SECOND'),
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined,
    maxTranscriptions: readInteger('SIANN_MAX_TRANSCRIPTIONS'),
  });
}

/** The text of docs/settings.md. */
export function settingsTable(): string {
  const rows = Object.entries(settingsSchema.properties).map(([key, schema]) => {
    const allowed = 'enum' in schema ? ` One of: ${schema.enum.join(', ')}.` : '';
    const standard = schema.default === '' ? 'none' : `\`${schema.default}\``;
    return `| \`${key}\` | ${standard} | ${schema.description}${allowed} |`;
  });
  return [
    '# Settings',
    '',
    'Set as environment variables or in a `.env` file in the project folder. Made from the schema in `src/config.ts` by',
    '`siann doctor --settings`.',
    '',
    'With `OTEL_EXPORTER_OTLP_ENDPOINT` set, each request is also traced to that OpenTelemetry collector.',
    '',
    'Spans are sent to an OpenTelemetry collector when `OTEL_EXPORTER_OTLP_ENDPOINT` is set.',
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
  if (schema.format) return formats[schema.format]!(value);
  if (schema.type !== 'integer') return true;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  return /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum;
}

const postgresUrl = /^postgres(ql)?:\/\//i;

function databaseUrl(value: string): string {
  return postgresUrl.test(value) ? value : resolve(value);
}

const formats: Record<string, (value: string) => boolean> = {
  database: (value) => postgresUrl.test(value) || !value.includes('://'),
  host: (value) => isIP(value) > 0 || /^[\w-]+(\.[\w-]+)*$/.test(value),
  networks: (value) => listed(value).every(isNetwork),
  origins: (value) =>
    value === '*' ||
    listed(value).every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
};

function listed(value: string): string[] {
  return value.split(/[\s,]+/).filter((part) => part !== '');
}

/** An address, or a network such as 10.0.0.0/8. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Values that are right by themselves and not together. */
function conflicts(env: Readonly<Record<string, string | undefined>>): SettingProblem[] {
  const { SIANN_TLS_CERT: cert, SIANN_TLS_KEY: key } = env;
  const port = env.SIANN_PORT || `${settingsSchema.properties.SIANN_PORT.default}`;
  const testPort = env.SIANN_TEST_PORT || `${settingsSchema.properties.SIANN_TEST_PORT.default}`;
  const problems: SettingProblem[] = [];
  if (cert && !key) problems.push({ key: 'SIANN_TLS_KEY', sentence: 'must be set with SIANN_TLS_CERT.' });
  if (key && !cert) problems.push({ key: 'SIANN_TLS_CERT', sentence: 'must be set with SIANN_TLS_KEY.' });
  if (port === testPort && port !== '0')
    problems.push({ key: 'SIANN_TEST_PORT', sentence: 'must differ from SIANN_PORT.' });
  return problems;
}
