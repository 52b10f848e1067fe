import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SettingName, type Settings, settingsSchema } from './settings-schema.ts';

/** Read by the benchmarks, not by the product. */
const foreignSettings = /^SIANN_(SPEECH|BENCH_.*)$/;

type SettingSchema = {
  type: string;
  format?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
};

export type Config = Readonly<{
  dataFolder: string;
  role: Settings['SIANN_ROLE'];
  /** `redis://…`, or `rediss://…`; without it everything is done in this process. */
  redisUrl: string | undefined;
  /** `postgres://…`, or the path of a file. */
  databaseUrl: string;
  instance: string;
  model: Settings['SIANN_MODEL'];
  adapter: Settings['SIANN_ADAPTER'];
  precision: Settings['SIANN_PRECISION'];
  speakerModelFolder: string | undefined;
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
  maxStreams: number;
  streamIdleSeconds: number;
  /** For commands that call the service. */
  apiKey: string | undefined;
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
  const readChoice = <Name extends SettingName>(name: Name) =>
    (read(name) ?? settingsSchema.properties[name].default) as Settings[Name];
  const readInteger = (name: SettingName) => Number(read(name) ?? settingsSchema.properties[name].default);
  const readList = (name: SettingName) => listed(read(name) ?? `${settingsSchema.properties[name].default}`);
  const data = read('SIANN_DATA');
  const dataFolder = data === undefined ? join(projectFolder, 'data') : resolve(data);
  return Object.freeze({
    dataFolder,
    role: readChoice('SIANN_ROLE'),
    redisUrl: read('SIANN_REDIS_URL'),
    databaseUrl: databaseUrl(
      read('SIANN_DATABASE_URL') ?? read('SIANN_DATABASE') ?? join(dataFolder, 'siann.db'),
    ),
    instance:
      read('SIANN_INSTANCE') ?? ownName(readInteger('SIANN_PORT'), read('SIANN_REDIS_URL') !== undefined),
    model: readChoice('SIANN_MODEL'),
    adapter: readChoice('SIANN_ADAPTER'),
    precision: readChoice('SIANN_PRECISION'),
    speakerModelFolder: read('SIANN_SPEAKER_MODEL') && resolve(read('SIANN_SPEAKER_MODEL')!),
    cacheFolder: resolve(read('SIANN_CACHE') ?? join(dataFolder, 'models')),
    processes: readInteger('SIANN_PROCESSES'),
    threads: readInteger('SIANN_THREADS'),
    memoryLimitMegabytes: readInteger('SIANN_MEMORY_LIMIT_MB'),
    host: readChoice('SIANN_HOST'),
    port: readInteger('SIANN_PORT'),
    testPort: readInteger('SIANN_TEST_PORT'),
    tls: readChoice('SIANN_TLS'),
    certificate: read('SIANN_TLS_CERT')
      ? { certPath: resolve(read('SIANN_TLS_CERT')!), keyPath: resolve(read('SIANN_TLS_KEY')!) }
      : undefined,
    trustedProxies: readList('SIANN_TRUSTED_PROXIES'),
    corsOrigins: readList('SIANN_CORS_ORIGINS'),
    metricsAllow: readList('SIANN_METRICS_ALLOW'),
    logLevel: readChoice('SIANN_LOG_LEVEL'),
    drainSeconds: readInteger('SIANN_DRAIN_SECONDS'),
    maxConnections: readInteger('SIANN_MAX_CONNECTIONS'),
    headersSeconds: readInteger('SIANN_HEADERS_SECONDS'),
    keepAliveSeconds: readInteger('SIANN_KEEP_ALIVE_SECONDS'),
    uploadIdleSeconds: readInteger('SIANN_UPLOAD_IDLE_SECONDS'),
    uploadBytesPerSecond: readInteger('SIANN_UPLOAD_BYTES_PER_SECOND'),
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined,
    maxTranscriptions: readInteger('SIANN_MAX_TRANSCRIPTIONS'),
    maxStreams: readInteger('SIANN_MAX_STREAMS'),
    streamIdleSeconds: readInteger('SIANN_STREAM_IDLE_SECONDS'),
    apiKey: read('SIANN_API_KEY'),
  });
}

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

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

/**
 * One service finds again what it had reserved before a restart. Of many, two may have the same host name and port, each in
 * a container of its own, and must never give back what is the other's; what a name held that is gone runs out in time.
 */
function ownName(port: number, amongMany: boolean): string {
  const place = `${hostname()}:${port}`;
  return amongMany ? `${place}:${randomBytes(4).toString('hex')}` : place;
}

const postgresUrl = /^postgres(ql)?:\/\//i;

function databaseUrl(value: string): string {
  return postgresUrl.test(value) ? value : resolve(value);
}

const formats: Record<string, (value: string) => boolean> = {
  postgres: (value) => postgresUrl.test(value),
  redis: (value) => /^rediss?:\/\//i.test(value) && URL.canParse(value),
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
  if (env.SIANN_DATABASE && env.SIANN_DATABASE_URL)
    problems.push({ key: 'SIANN_DATABASE_URL', sentence: 'must not be set with SIANN_DATABASE.' });
  if (port === testPort && port !== '0')
    problems.push({ key: 'SIANN_TEST_PORT', sentence: 'must differ from SIANN_PORT.' });
  return [...problems, ...missingForRole(env)];
}

/** What stands alone keeps everything itself; what is one of many needs what they share. */
function missingForRole(env: Readonly<Record<string, string | undefined>>): SettingProblem[] {
  const { SIANN_ROLE: role, SIANN_DATABASE_URL: shared, SIANN_DATABASE: database } = env;
  const problems: SettingProblem[] = [];
  if ((role === 'api' || role === 'worker') && !env.SIANN_REDIS_URL)
    problems.push({
      key: 'SIANN_REDIS_URL',
      sentence: `must be set for the role ${role}: through it, work comes to the workers.`,
    });
  if (role === 'api' && !postgresUrl.test(shared || database || ''))
    problems.push({
      key: 'SIANN_DATABASE_URL',
      sentence: 'must be set for the role api: services that share work also share accounts and usage.',
    });
  return problems;
}
