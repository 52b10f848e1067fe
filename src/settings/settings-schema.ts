import type { XStatic } from 'typebox/schema';

/**
 * Every setting with its sentence: the one source of the checks, the types and docs/settings.md. It is written as the
 * JSON Schema that TypeBox would build, and TypeBox gives its types; building it at run time would add 0.2 s to each start.
 */
export const settingsSchema = {
  type: 'object',
  required: [
    'SIANN_DATA',
    'SIANN_ROLE',
    'SIANN_DATABASE',
    'SIANN_DATABASE_URL',
    'SIANN_REDIS_URL',
    'SIANN_INSTANCE',
    'SIANN_MODEL',
    'SIANN_ADAPTER',
    'SIANN_PRECISION',
    'SIANN_SPEAKER_MODEL',
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
    'SIANN_MAX_STREAMS',
    'SIANN_STREAM_IDLE_SECONDS',
    'SIANN_MAX_TRANSCRIPTIONS',
    'SIANN_API_KEY',
  ],
  properties: {
    SIANN_DATA: {
      type: 'string',
      default: './data',
      description:
        'The data folder. The default lies in the project folder; a relative path starts where the command is run.',
    },
    SIANN_ROLE: {
      type: 'string',
      enum: ['all', 'api', 'worker'],
      default: 'all',
      description:
        'What this process does: api answers requests and leaves recognition to workers, worker recognises and answers none, all does both.',
    },
    SIANN_DATABASE: {
      type: 'string',
      format: 'database',
      default: '<data>/siann.db',
      description:
        'Where accounts and usage are kept: a file for SQLite, or postgres://user:password@host/name for PostgreSQL.',
    },
    SIANN_DATABASE_URL: {
      type: 'string',
      format: 'postgres',
      default: '',
      description:
        'The PostgreSQL server that several services share, as postgres://user:password@host/name; the same as SIANN_DATABASE with such an address.',
    },
    SIANN_REDIS_URL: {
      type: 'string',
      format: 'redis',
      default: '',
      description:
        'The Redis server over which several services share limits and recognition, as redis://user:password@host:6379 or rediss:// over TLS; without it each does everything itself.',
    },
    SIANN_INSTANCE: {
      type: 'string',
      default: '<host name>:<port>',
      description:
        'The name of this service among those that share a database: another for each, and best the same after a restart. With Redis the default is a new one at every start.',
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
    SIANN_PRECISION: {
      type: 'string',
      enum: ['int8', 'float32'],
      default: 'int8',
      description:
        'In what the model computes. float32 is several times slower and needs 1 GB more; it is there to show what 8 bits cost.',
    },
    SIANN_SPEAKER_MODEL: {
      type: 'string',
      default: '',
      description:
        'A folder with segmentation.onnx and embedding.onnx as sherpa-onnx publishes them, to tell speakers apart with those; empty for the network that comes with Siann.',
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
    SIANN_MAX_STREAMS: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 256,
      description:
        'How many streams of live captions may be connected at the same time; others are asked to come again later.',
    },
    SIANN_STREAM_IDLE_SECONDS: {
      type: 'integer',
      minimum: 1,
      maximum: 3600,
      default: 30,
      description:
        'How long a stream may send neither audio nor a keepalive before it is closed, in seconds.',
    },
    SIANN_MAX_TRANSCRIPTIONS: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      default: 256,
      description:
        'How many files may be transcribed at once, those that wait for their turn included; more are told to come back.',
    },
    SIANN_API_KEY: {
      type: 'string',
      default: '',
      description:
        'The key with which `siann listen` connects to the service. The service itself does not read it.',
    },
  },
} as const;

export type Settings = XStatic<typeof settingsSchema>;
export type SettingName = keyof typeof settingsSchema.properties;

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
    'Set as environment variables or in a `.env` file in the project folder. Made from the schema in `src/settings/settings-schema.ts` by',
    '`siann doctor --settings`.',
    '',
    'Spans are sent to an OpenTelemetry collector when `OTEL_EXPORTER_OTLP_ENDPOINT` is set.',
    '',
    '| setting | default | |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
