import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ConfigError, loadConfig } from '../../src/settings/config.ts';
import { settings } from '../../src/settings/settings.ts';
import { settingsPage } from '../../src/settings/settings-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('without settings the defaults apply, and data is in the project folder', () => {
  assert.deepEqual(loadConfig({ PATH: '/bin' }), {
    dataFolder: resolve(root, 'data'),
    role: 'all',
    redisUrl: undefined,
    secret: undefined,
    databaseUrl: resolve(root, 'data/siann.db'),
    instance: `${hostname()}:8443`,
    model: 'small',
    adapter: 'own',
    precision: 'int8',
    speakerModelFolder: undefined,
    cacheFolder: resolve(root, 'data/models'),
    processes: 0,
    threads: 0,
    memoryLimitMegabytes: 1200,
    decoders: 0,
    decoderMemoryMegabytes: 400,
    host: 'localhost',
    port: 8443,
    testPort: 8444,
    tls: 'on',
    certificate: undefined,
    trustedProxies: ['127.0.0.0/8', '::1/128'],
    corsOrigins: [],
    metricsAllow: ['127.0.0.0/8', '::1/128'],
    logLevel: 'info',
    drainSeconds: 30,
    maxConnections: 4096,
    headersSeconds: 8,
    bodySeconds: 10,
    keepAliveSeconds: 15,
    uploadIdleSeconds: 15,
    uploadBytesPerSecond: 1000,
    consoleNetworks: [],
    ledgerDays: 0,
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcClientAuthentication: 'basic',
    oidcRedirectUrl: undefined,
    oidcScopes: 'openid profile email',
    oidcRoleClaim: 'groups',
    oidcRoles: {},
    oidcDefaultRole: 'none',
    otlpEndpoint: undefined,
    maxTranscriptions: 256,
    maxStreams: 256,
    streamIdleSeconds: 30,
    apiKey: undefined,
  });
});

test('each setting is read, and the cache follows the data folder', () => {
  const config = loadConfig({
    SIANN_DATA: 'there',
    SIANN_MODEL: 'tiny',
    SIANN_PROCESSES: '2',
    SIANN_THREADS: '3',
    SIANN_MEMORY_LIMIT_MB: '900',
  });
  assert.equal(config.dataFolder, resolve('there'));
  assert.equal(config.cacheFolder, resolve('there/models'));
  assert.equal(config.model, 'tiny');
  assert.deepEqual([config.processes, config.threads, config.memoryLimitMegabytes], [2, 3, 900]);
  assert.equal(loadConfig({ SIANN_CACHE: '/cache' }).cacheFolder, '/cache');
});

test('behind a proxy, idle connections stay open for longer than the proxy keeps them', () => {
  assert.equal(loadConfig({ SIANN_TLS: 'proxy' }).keepAliveSeconds, 65);
  assert.equal(loadConfig({ SIANN_TLS: 'proxy', SIANN_KEEP_ALIVE_SECONDS: '20' }).keepAliveSeconds, 20);
});

test('the database is a file in the data folder, another file, or a PostgreSQL server', () => {
  assert.equal(loadConfig({ SIANN_DATA: '/srv' }).databaseUrl, '/srv/siann.db');
  assert.equal(loadConfig({ SIANN_DATABASE: 'mine.db' }).databaseUrl, resolve('mine.db'));
  const url = 'postgres://siann@db.example/siann';
  assert.equal(loadConfig({ SIANN_DATABASE: url }).databaseUrl, url);
  assert.throws(() => loadConfig({ SIANN_DATABASE: 'mysql://db.example/siann' }), /PostgreSQL/);
});

test('the roles api and worker need the Redis and the database that services share', () => {
  const redis = 'redis://cache.example:6379';
  const database = 'postgres://siann@db.example/siann';
  const shared = { SIANN_REDIS_URL: redis, SIANN_DATABASE_URL: database };
  const config = loadConfig({ ...shared, SIANN_ROLE: 'api' });
  assert.deepEqual([config.role, config.redisUrl, config.databaseUrl], ['api', redis, database]);
  assert.equal(loadConfig({ SIANN_ROLE: 'worker', SIANN_REDIS_URL: redis }).role, 'worker');
  assert.throws(
    () => loadConfig({ SIANN_ROLE: 'worker' }),
    /SIANN_REDIS_URL: must be set for the role worker/,
  );
  assert.throws(
    () => loadConfig({ SIANN_ROLE: 'api' }),
    /SIANN_REDIS_URL: .*\n.*SIANN_DATABASE_URL: must be/,
  );
  assert.throws(() => loadConfig({ SIANN_REDIS_URL: 'http://cache.example' }), /is not allowed/);
  assert.throws(
    () => loadConfig({ ...shared, SIANN_DATABASE: 'a.db' }),
    /must not be set with SIANN_DATABASE/,
  );
});

test('services that share a Redis never have the same name, unless a setting names them', () => {
  const env = { SIANN_REDIS_URL: 'redis://cache.example' };
  assert.notEqual(loadConfig(env).instance, loadConfig(env).instance);
  assert.equal(loadConfig({ ...env, SIANN_INSTANCE: 'speech-1' }).instance, 'speech-1');
});

test('the configuration cannot be changed', () => {
  assert.ok(Object.isFrozen(loadConfig({})));
});

test('every bad and unknown key is named at once, with its sentence', () => {
  const env = { SIANN_MODEL: 'huge', SIANN_THREADS: '-1', SIANN_PROCESSES: '1.5', SIANN_MODLE: 'tiny' };
  assert.throws(
    () => loadConfig(env),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(
        error.problems.map((problem) => problem.key),
        Object.keys(env),
      );
      assert.match(
        error.message,
        /SIANN_MODEL: "huge" is not allowed\. The speech model.*One of: small, base, tiny\./,
      );
      assert.match(error.message, /SIANN_MODLE: unknown setting\./);
      return true;
    },
  );
});

test('no value that may hold a password is repeated', () => {
  const values = {
    SIANN_DATABASE: 'mysql://siann:hunter2@db.example/siann',
    SIANN_DATABASE_URL: 'postgre://siann:hunter2@db.example/siann',
    SIANN_REDIS_URL: 'redis//:hunter2@cache.example',
    SIANN_CORS_ORIGINS: 'https://me:hunter2@shop.example',
    SIANN_TRUSTED_PROXIES: 'hunter2',
    SIANN_PORT: 'postgres://siann:hunter2@db.example/siann',
    SIANN_MODEL: 'postgres://siann:hunter2@db.example/siann',
  };
  for (const [name, value] of Object.entries(values)) {
    assert.throws(
      () => loadConfig({ [name]: value }),
      ({ message }: Error) =>
        message.includes(`${name}: what is set is not allowed.`) && !message.includes('hunter2'),
      name,
    );
  }
});

test('numbers that only look like numbers are refused', () => {
  for (const value of ['two', '1e3', '0x10', ' 1', '257', 'true']) {
    assert.throws(() => loadConfig({ SIANN_THREADS: value }), ConfigError, value);
  }
});

test('networks, origins and host names are checked', () => {
  const config = loadConfig({
    SIANN_TRUSTED_PROXIES: '10.0.0.0/8, 192.168.1.7 fd00::/8',
    SIANN_CORS_ORIGINS: 'https://app.example,http://localhost:3000',
    SIANN_HOST: '::',
  });
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '192.168.1.7', 'fd00::/8']);
  assert.deepEqual(config.corsOrigins, ['https://app.example', 'http://localhost:3000']);
  const bad: Record<string, string[]> = {
    SIANN_TRUSTED_PROXIES: ['10.0.0.0/33', 'proxy.example', '1.2.3.4/8/8', '::1/129', '10.0.0.0/'],
    SIANN_CORS_ORIGINS: ['https://app.example/', 'app.example', '*,https://a.example'],
    SIANN_HOST: ['https://a.example', 'a b', '1.2.3.4:80'],
  };
  for (const [key, values] of Object.entries(bad)) {
    for (const value of values) assert.throws(() => loadConfig({ [key]: value }), ConfigError, value);
  }
});

test('settings that contradict each other are named', () => {
  assert.throws(() => loadConfig({ SIANN_TLS_CERT: 'a.pem' }), /SIANN_TLS_KEY: must be set/);
  assert.throws(() => loadConfig({ SIANN_TLS_KEY: 'a.pem' }), /SIANN_TLS_CERT: must be set/);
  assert.throws(() => loadConfig({ SIANN_PORT: '8444' }), /SIANN_TEST_PORT: must differ/);
  const { certificate } = loadConfig({ SIANN_TLS_CERT: '/c.pem', SIANN_TLS_KEY: '/k.pem' });
  assert.deepEqual(certificate, { certPath: '/c.pem', keyPath: '/k.pem' });
  assert.equal(loadConfig({ SIANN_PORT: '0', SIANN_TEST_PORT: '0' }).port, 0);
});

test('an empty value counts as not set, and the benchmarks have settings of their own', () => {
  assert.equal(
    loadConfig({ SIANN_MODEL: '', SIANN_SPEECH: '/sets', SIANN_BENCH_MINUTES: '5' }).model,
    'small',
  );
});

test('every setting has a key of its own and says what it is for', () => {
  const keys = Object.values(settings).map(({ key }) => key);
  assert.deepEqual(keys, [...new Set(keys)]);
  for (const [name, { sentence }] of Object.entries(settings)) assert.match(sentence, /\.$/, name);
});

test('setting a default value explicitly changes nothing', () => {
  for (const [name, setting] of Object.entries(settings)) {
    if (!('default' in setting)) continue;
    assert.deepEqual(loadConfig({ [name]: String(setting.default) }), loadConfig({}), name);
  }
});

test('docs/settings.md is up to date', () => {
  assert.equal(readFileSync(resolve(root, 'docs/settings.md'), 'utf8'), settingsPage());
});

test('a secret is long, is known to API nodes alone, and is not repeated when it cannot be used', () => {
  const secret = 'too short to be one';
  const problemOf = (env: Record<string, string>) => {
    try {
      loadConfig(env);
    } catch (error) {
      return (error as ConfigError).message;
    }
    return '';
  };
  assert.match(problemOf({ SIANN_SECRET: secret }), /SIANN_SECRET: what is set is not allowed/);
  assert.doesNotMatch(problemOf({ SIANN_SECRET: secret }), /too short/);
  assert.equal(loadConfig({ SIANN_SECRET: 'x'.repeat(32) }).secret, 'x'.repeat(32));
  const worker = { SIANN_ROLE: 'worker', SIANN_REDIS_URL: 'redis://here', SIANN_SECRET: 'x'.repeat(32) };
  assert.match(problemOf(worker), /SIANN_SECRET: must not be set for the role worker/);
});

test('the console is on, off, or there for some networks', () => {
  const networksOf = (value: string) => loadConfig({ SIANN_CONSOLE: value }).consoleNetworks;
  assert.deepEqual(networksOf('on'), []);
  assert.equal(networksOf('off'), undefined);
  assert.deepEqual(networksOf('192.0.2.0/24, 2001:db8::/32'), ['192.0.2.0/24', '2001:db8::/32']);
  for (const wrong of ['yes', ',', '192.0.2.0/24,everybody', '300.0.0.1'])
    assert.throws(() => networksOf(wrong), /SIANN_CONSOLE/, wrong);
});

test('single sign-on is set whole or not at all', () => {
  const whole = {
    SIANN_OIDC_ISSUER: 'https://id.example',
    SIANN_OIDC_CLIENT_ID: 'siann',
    SIANN_OIDC_ROLES: 'admins=owner, CN=staff of x=viewer',
  };
  assert.deepEqual(loadConfig(whole).oidcRoles, { admins: 'owner', 'CN=staff of x': 'viewer' });
  const problems = (env: Record<string, string>): string[] => {
    try {
      loadConfig(env);
      return [];
    } catch (error) {
      return (error as ConfigError).problems.map(({ key }) => key);
    }
  };
  assert.deepEqual(problems({ SIANN_OIDC_ROLES: 'admins=owner' }), [
    'SIANN_OIDC_ISSUER',
    'SIANN_OIDC_CLIENT_ID',
  ]);
  assert.deepEqual(problems({ ...whole, SIANN_OIDC_ROLES: '' }), ['SIANN_OIDC_ROLES']);
  assert.deepEqual(problems({ ...whole, SIANN_OIDC_ROLES: 'admins=king' }), ['SIANN_OIDC_ROLES']);
  assert.deepEqual(problems({ ...whole, SIANN_TLS: 'proxy' }), ['SIANN_OIDC_REDIRECT_URL']);
  assert.deepEqual(problems({ ...whole, SIANN_DATABASE: 'postgres://db/siann' }), ['SIANN_SECRET']);
  assert.deepEqual(problems({ ...whole, SIANN_OIDC_ISSUER: 'http://id.example' }), ['SIANN_OIDC_ISSUER']);
  assert.deepEqual(problems({ ...whole, SIANN_OIDC_ISSUER: 'http://localhost:9000' }), []);
  assert.deepEqual(problems({ ...whole, SIANN_OIDC_ISSUER: 'http://localhost.evil.example' }), [
    'SIANN_OIDC_ISSUER',
  ]);
});
