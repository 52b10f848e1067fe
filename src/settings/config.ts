import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseNetwork } from '../addresses/networks.ts';
import {
  type ListFormat,
  type Setting,
  type SettingName,
  type SettingValues,
  settings,
  type TextFormat,
} from './settings.ts';

/** Settings that only the benchmarks read. */
const foreignSettings = /^SIANN_(SPEECH|BENCH_.*)$/;

/** All settings, and the values that are computed from several of them. */
export type Config = Readonly<
  Omit<SettingValues, 'database' | 'certPath' | 'keyPath' | 'console' | 'oidcRoleMap'> & {
    dataFolder: string;
    cacheFolder: string;
    /** `postgres://…`, or the path of a SQLite file. */
    databaseUrl: string;
    instance: string;
    /** The operator's certificate. Without it, a development CA makes one. */
    certificate: { certPath: string; keyPath: string } | undefined;
    /** From where the console may be used. Undefined turns it off, and an empty list lets everybody in. */
    consoleNetworks: readonly string[] | undefined;
    /** The role in the console for each value of the claim. */
    oidcRoles: Readonly<Record<string, 'viewer' | 'operator' | 'owner'>>;
    /** Where spans are sent, from OpenTelemetry's standard variable. Without it, no spans are made. */
    otlpEndpoint: string | undefined;
  }
>;

type SettingProblem = { key: string; sentence: string };

export class ConfigError extends Error {
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(['Some settings cannot be used:', ...problems.map((p) => `  ${p.key}: ${p.sentence}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Reads and checks all settings in `env`. An empty value counts as not set. Throws a ConfigError that names every problem. */
export function loadConfig(env: Environment): Config {
  const given = Object.entries(env).filter(([key, value]) => key.startsWith('SIANN_') && value);
  const problems = [...given.flatMap(([key, value]) => problemWith(key, value!)), ...conflicts(env)];
  if (problems.length > 0) throw new ConfigError(problems);

  const { database, certPath, keyPath, console: consoleAccess, oidcRoleMap, ...values } = readAll(env);
  const dataFolder = values.dataFolder ?? join(projectFolder, 'data');
  return Object.freeze({
    ...values,
    // Proxies keep connections for a minute, and must not send a request on one that is being closed.
    ...(values.tls === 'proxy' && !env.SIANN_KEEP_ALIVE_SECONDS && { keepAliveSeconds: 65 }),
    dataFolder,
    cacheFolder: values.cacheFolder ?? join(dataFolder, 'models'),
    databaseUrl: databaseUrl(values.databaseUrl ?? database ?? join(dataFolder, 'siann.db')),
    instance: values.instance ?? defaultInstance(values),
    certificate: certPath && keyPath ? { certPath, keyPath } : undefined,
    consoleNetworks: networksOf(consoleAccess),
    oidcRoles: rolesOf(oidcRoleMap),
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined,
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

function readAll(env: Environment): SettingValues {
  const entries = Object.entries(settings).map(([name, setting]) => {
    return [setting.key, env[name] ? readSetting(setting, env[name]) : defaultOf(setting)] as const;
  });
  return Object.fromEntries(entries) as SettingValues;
}

function readSetting(setting: Setting, text: string): unknown {
  switch (setting.kind) {
    case 'whole':
      return Number(text);
    case 'list':
      return splitList(text);
    case 'path':
      return resolve(text);
    default:
      return text;
  }
}

function defaultOf(setting: Setting): unknown {
  return 'default' in setting ? setting.default : undefined;
}

const projectFolder = fileURLToPath(new URL('../..', import.meta.url));

const maxShownLength = 20;

function problemWith(key: string, value: string): SettingProblem[] {
  if (foreignSettings.test(key)) return [];
  if (!Object.hasOwn(settings, key)) return [{ key, sentence: 'unknown setting.' }];
  const setting: Setting = settings[key as SettingName];
  if (isAllowed(setting, value)) return [];
  const allowed = setting.kind === 'choice' ? ` One of: ${setting.values.join(', ')}.` : '';
  // Texts, lists and addresses may hold a password, and this sentence gets into logs.
  const isShown = (setting.kind === 'choice' || setting.kind === 'whole') && value.length <= maxShownLength;
  const shown = isShown ? `"${value}"` : 'what is set';
  return [{ key, sentence: `${shown} is not allowed. ${setting.sentence}${allowed}` }];
}

function isAllowed(setting: Setting, value: string): boolean {
  switch (setting.kind) {
    case 'choice':
      return setting.values.includes(value);
    case 'whole':
      return /^\d+$/.test(value) && Number(value) >= setting.minimum && Number(value) <= setting.maximum;
    case 'text':
    case 'list':
      return setting.format === undefined || formats[setting.format](value);
    case 'path':
      return true;
  }
}

/**
 * A service that runs alone keeps its name, so that after a restart it finds what it had reserved. Services that share a Redis
 * get random names: two of them may have the same host name and port, each in its own container, and must never release what
 * the other one reserved. What a lost name had reserved expires.
 */
function defaultInstance({ port, redisUrl }: Pick<SettingValues, 'port' | 'redisUrl'>): string {
  const name = `${hostname()}:${port}`;
  return redisUrl === undefined ? name : `${name}:${randomBytes(4).toString('hex')}`;
}

const postgresUrl = /^postgres(ql)?:\/\//i;

function databaseUrl(value: string): string {
  return postgresUrl.test(value) ? value : resolve(value);
}

const shortestSecret = 32;

const formats: Record<TextFormat | ListFormat, (value: string) => boolean> = {
  postgres: (value) => postgresUrl.test(value),
  redis: (value) => /^rediss?:\/\//i.test(value) && URL.canParse(value),
  secret: (value) => value.length >= shortestSecret,
  database: (value) => postgresUrl.test(value) || !value.includes('://'),
  console: (value) =>
    value === 'on' || value === 'off' || (splitList(value).length > 0 && formats.networks(value)),
  // Over plain HTTP, whoever is in between could sign in as anybody.
  issuer: (value) =>
    formats.https(value) || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(value),
  https: (value) => /^https:\/\//.test(value) && URL.canParse(value),
  roles: (value) => splitPairs(value).every(([, role]) => /^(viewer|operator|owner)$/.test(role)),
  host: (value) => isIP(value) > 0 || /^[\w-]+(\.[\w-]+)*$/.test(value),
  networks: (value) => splitList(value).every((network) => parseNetwork(network) !== undefined),
  origins: (value) =>
    value === '*' ||
    splitList(value).every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
};

function networksOf(consoleAccess: string): readonly string[] | undefined {
  if (consoleAccess === 'off') return undefined;
  return consoleAccess === 'on' ? [] : splitList(consoleAccess);
}

function rolesOf(text: string): Config['oidcRoles'] {
  return Object.fromEntries(splitPairs(text)) as Config['oidcRoles'];
}

/** `name=value` with commas between them. A name may hold spaces and equal signs. */
function splitPairs(text: string): [string, string][] {
  const parts = text.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .map((part) => [part.slice(0, part.lastIndexOf('=')), part.slice(part.lastIndexOf('=') + 1)]);
}

function splitList(value: string): string[] {
  return value.split(/[\s,]+/).filter((part) => part !== '');
}

/** Values that are allowed alone but not together. */
function conflicts(env: Environment): SettingProblem[] {
  const { SIANN_TLS_CERT: cert, SIANN_TLS_KEY: key } = env;
  const port = env.SIANN_PORT || `${settings.SIANN_PORT.default}`;
  const testPort = env.SIANN_TEST_PORT || `${settings.SIANN_TEST_PORT.default}`;
  const problems: SettingProblem[] = [];
  if (cert && !key) problems.push({ key: 'SIANN_TLS_KEY', sentence: 'must be set with SIANN_TLS_CERT.' });
  if (key && !cert) problems.push({ key: 'SIANN_TLS_CERT', sentence: 'must be set with SIANN_TLS_KEY.' });
  if (env.SIANN_DATABASE && env.SIANN_DATABASE_URL)
    problems.push({ key: 'SIANN_DATABASE_URL', sentence: 'must not be set with SIANN_DATABASE.' });
  if (port === testPort && port !== '0')
    problems.push({ key: 'SIANN_TEST_PORT', sentence: 'must differ from SIANN_PORT.' });
  return [...problems, ...missingForRole(env), ...missingForSingleSignOn(env)];
}

/** A service that runs alone keeps everything itself. One of several needs the Redis and the database that they share. */
function missingForRole(env: Environment): SettingProblem[] {
  const { SIANN_ROLE: role, SIANN_DATABASE_URL: shared, SIANN_DATABASE: database } = env;
  const problems: SettingProblem[] = [];
  if ((role === 'api' || role === 'worker') && !env.SIANN_REDIS_URL)
    problems.push({
      key: 'SIANN_REDIS_URL',
      sentence: `must be set for the role ${role}: workers get their work through it.`,
    });
  if (role === 'worker' && env.SIANN_SECRET)
    problems.push({
      key: 'SIANN_SECRET',
      sentence: 'must not be set for the role worker: only API nodes may know it.',
    });
  if (role === 'api' && !postgresUrl.test(shared || database || ''))
    problems.push({
      key: 'SIANN_DATABASE_URL',
      sentence: 'must be set for the role api: services that share work also share accounts and usage.',
    });
  return problems;
}

/** Those that mean nothing by themselves. */
const singleSignOnSettings: readonly SettingName[] = [
  'SIANN_OIDC_ISSUER',
  'SIANN_OIDC_CLIENT_ID',
  'SIANN_OIDC_CLIENT_SECRET',
  'SIANN_OIDC_REDIRECT_URL',
  'SIANN_OIDC_ROLES',
];

function missingForSingleSignOn(env: Environment): SettingProblem[] {
  const set = singleSignOnSettings.filter((name) => env[name]);
  if (set.length === 0) return [];
  const problems: SettingProblem[] = [];
  const need = (key: string, sentence: string) => void problems.push({ key, sentence });
  if (!env.SIANN_OIDC_ISSUER) need('SIANN_OIDC_ISSUER', `must be set with ${set[0]}.`);
  if (!env.SIANN_OIDC_CLIENT_ID) need('SIANN_OIDC_CLIENT_ID', `must be set with ${set[0]}.`);
  if (env.SIANN_TLS === 'proxy' && !env.SIANN_OIDC_REDIRECT_URL)
    need(
      'SIANN_OIDC_REDIRECT_URL',
      'must be set with SIANN_TLS=proxy: the address of clients is not known here.',
    );
  if (!env.SIANN_OIDC_ROLES && (env.SIANN_OIDC_DEFAULT_ROLE || 'none') === 'none')
    need('SIANN_OIDC_ROLES', 'must be set, or SIANN_OIDC_DEFAULT_ROLE: otherwise nobody could sign in.');
  if (postgresUrl.test(env.SIANN_DATABASE_URL || env.SIANN_DATABASE || '') && !env.SIANN_SECRET)
    need('SIANN_SECRET', 'must be set with SIANN_OIDC_ISSUER and PostgreSQL: every node must know it.');
  return problems;
}
