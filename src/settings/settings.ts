/** The table of all settings. Their checks and defaults, the type of `Config` and docs/settings.md come from it. */

export type Setting = {
  /** Its name in `Config`. */
  key: string;
  /** What it is for, in plain sentences. */
  sentence: string;
  /** The default as readers see it, if it is computed from other settings. */
  shownDefault?: string;
} & (
  | { kind: 'text'; format?: TextFormat; default?: string }
  /** A file or a folder. A relative path starts where the command is run. */
  | { kind: 'path' }
  | { kind: 'list'; format: ListFormat; default: readonly string[] }
  | { kind: 'choice'; values: readonly string[]; default: string }
  | { kind: 'whole'; minimum: number; maximum: number; default: number }
);

export type TextFormat =
  | 'console'
  | 'issuer'
  | 'roles'
  | 'https'
  | 'database'
  | 'postgres'
  | 'redis'
  | 'secret'
  | 'host';
export type ListFormat = 'networks' | 'origins';

export const settings = {
  SIANN_DATA: {
    key: 'dataFolder',
    kind: 'path',
    shownDefault: './data',
    sentence:
      'The data folder. The default is in the project folder. A relative path starts where the command is run.',
  },
  SIANN_ROLE: {
    key: 'role',
    kind: 'choice',
    values: ['all', 'api', 'worker'],
    default: 'all',
    sentence:
      'What this process does. api answers requests and leaves recognition to workers; worker recognises and answers no requests; all does both.',
  },
  SIANN_DATABASE: {
    key: 'database',
    kind: 'text',
    format: 'database',
    shownDefault: '<data>/siann.db',
    sentence:
      'Where accounts and usage are kept: a file for SQLite, or postgres://user:password@host/name for PostgreSQL.',
  },
  SIANN_DATABASE_URL: {
    key: 'databaseUrl',
    kind: 'text',
    format: 'postgres',
    sentence:
      'The PostgreSQL server that several services share, as postgres://user:password@host/name. It means the same as SIANN_DATABASE with such an address.',
  },
  SIANN_REDIS_URL: {
    key: 'redisUrl',
    kind: 'text',
    format: 'redis',
    sentence:
      'The Redis server through which several services share limits and recognition, as redis://user:password@host:6379, or rediss:// for TLS. Without it, each service does everything itself.',
  },
  SIANN_SECRET: {
    key: 'secret',
    kind: 'text',
    format: 'secret',
    sentence:
      'The secret of the installation, 32 characters or more. All API nodes have the same secret, and workers have none: with it, nodes seal the signing secrets in the database and what they keep for each other in Redis. Keep it as long as there are keys with signing secrets. A service with a database file makes one of its own beside it, in the file secret.',
  },
  SIANN_INSTANCE: {
    key: 'instance',
    kind: 'text',
    shownDefault: '<host name>:<port>',
    sentence:
      'The name of this service among those that share a database. No two may have the same name, and a service should keep its name after a restart. With Redis, the default is a new name at every start.',
  },
  SIANN_MODEL: {
    key: 'model',
    kind: 'choice',
    values: ['small', 'base', 'tiny'],
    default: 'small',
    sentence: 'The speech model: small is the most accurate, tiny is the fastest and lightest.',
  },
  SIANN_ADAPTER: {
    key: 'adapter',
    kind: 'choice',
    values: ['own', 'none'],
    default: 'own',
    sentence:
      'The adapter that is added to the published weights, for Taiwanese and short recordings: own is the adapter that comes with Siann, none leaves it out.',
  },
  SIANN_PRECISION: {
    key: 'precision',
    kind: 'choice',
    values: ['int8', 'float32'],
    default: 'int8',
    sentence:
      'The numbers that the model computes with. float32 is several times slower and needs 1 GB more; it is there to measure what int8 loses.',
  },
  SIANN_SPEAKER_MODEL: {
    key: 'speakerModelFolder',
    kind: 'path',
    sentence:
      'A folder with segmentation.onnx and embedding.onnx, as sherpa-onnx publishes them, which then tell speakers apart. Without it, the network that comes with Siann does.',
  },
  SIANN_CACHE: {
    key: 'cacheFolder',
    kind: 'path',
    shownDefault: '<data>/models',
    sentence: 'The folder for prepared models. You can delete it at any time; it is made again when needed.',
  },
  SIANN_PROCESSES: {
    key: 'processes',
    kind: 'whole',
    minimum: 0,
    maximum: 256,
    default: 0,
    sentence: 'How many inference processes run, a whole number up to 256. 0 chooses by cores and memory.',
  },
  SIANN_THREADS: {
    key: 'threads',
    kind: 'whole',
    minimum: 0,
    maximum: 256,
    default: 0,
    sentence: 'How many threads each inference process uses, a whole number up to 256. 0 chooses by cores.',
  },
  SIANN_MEMORY_LIMIT_MB: {
    key: 'memoryLimitMegabytes',
    kind: 'whole',
    minimum: 200,
    maximum: 1_048_576,
    default: 1200,
    sentence:
      'How many megabytes of memory one inference process may use before it is replaced, a whole number of 200 or more.',
  },
  SIANN_DECODERS: {
    key: 'decoders',
    kind: 'whole',
    minimum: 0,
    maximum: 64,
    default: 0,
    sentence:
      'How many processes decode audio for the service, a whole number up to 64. 0 chooses two, or one on a machine with one core.',
  },
  SIANN_DECODER_MEMORY_MB: {
    key: 'decoderMemoryMegabytes',
    kind: 'whole',
    minimum: 200,
    maximum: 1_048_576,
    default: 400,
    sentence:
      'How many megabytes of memory one decoder process may use before a file that needs so much is refused, a whole number of 200 or more.',
  },
  SIANN_HOST: {
    key: 'host',
    kind: 'text',
    format: 'host',
    default: 'localhost',
    sentence:
      'The address or name to listen on. The default can be reached from this machine only; 0.0.0.0 or :: can be reached from everywhere.',
  },
  SIANN_PORT: {
    key: 'port',
    kind: 'whole',
    minimum: 0,
    maximum: 65_535,
    default: 8443,
    sentence: 'The port of the live environment, up to 65535. 0 takes any free port.',
  },
  SIANN_TEST_PORT: {
    key: 'testPort',
    kind: 'whole',
    minimum: 0,
    maximum: 65_535,
    default: 8444,
    sentence: 'The port of the test environment, up to 65535. 0 takes any free port.',
  },
  SIANN_TLS: {
    key: 'tls',
    kind: 'choice',
    values: ['on', 'proxy'],
    default: 'on',
    sentence:
      'Who handles HTTPS. on: Siann itself. proxy: a proxy in front of Siann, and the two speak plain HTTP with each other.',
  },
  SIANN_TLS_CERT: {
    key: 'certPath',
    kind: 'path',
    shownDefault: '<data>/tls/server.pem',
    sentence:
      'The file with your certificate and its chain (PEM). It is read again when it changes. By default, Siann makes a certificate.',
  },
  SIANN_TLS_KEY: {
    key: 'keyPath',
    kind: 'path',
    shownDefault: '<data>/tls/server-key.pem',
    sentence: 'The file with the private key of your certificate (PEM), not encrypted.',
  },
  SIANN_TRUSTED_PROXIES: {
    key: 'trustedProxies',
    kind: 'list',
    format: 'networks',
    default: ['127.0.0.0/8', '::1/128'],
    sentence:
      'With SIANN_TLS=proxy: the networks of the proxies whose X-Forwarded-For and X-Forwarded-Proto are believed, with commas between them.',
  },
  SIANN_CORS_ORIGINS: {
    key: 'corsOrigins',
    kind: 'list',
    format: 'origins',
    default: [],
    sentence:
      'The origins of web pages that may call the service from a browser (https://app.example), with commas between them, or * for all.',
  },
  SIANN_METRICS_ALLOW: {
    key: 'metricsAllow',
    kind: 'list',
    format: 'networks',
    default: ['127.0.0.0/8', '::1/128'],
    sentence: 'The networks that may read /metrics, with commas between them.',
  },
  SIANN_LOG_LEVEL: {
    key: 'logLevel',
    kind: 'choice',
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    sentence: 'How much is logged. info writes a line for every request.',
  },
  SIANN_DRAIN_SECONDS: {
    key: 'drainSeconds',
    kind: 'whole',
    minimum: 0,
    maximum: 86_400,
    default: 30,
    sentence: 'How long running requests may continue after the service is told to stop, in seconds.',
  },
  SIANN_MAX_CONNECTIONS: {
    key: 'maxConnections',
    kind: 'whole',
    minimum: 8,
    maximum: 1_000_000,
    default: 4096,
    sentence:
      'How many connections each environment keeps open, a whole number of 8 or more. One address, or one /64 of IPv6, may have a quarter of them; this limit does not apply to trusted proxies.',
  },
  SIANN_HEADERS_SECONDS: {
    key: 'headersSeconds',
    kind: 'whole',
    minimum: 1,
    maximum: 3600,
    default: 8,
    sentence: 'How long a client may take to send the headers of a request, in seconds.',
  },
  SIANN_BODY_SECONDS: {
    key: 'bodySeconds',
    kind: 'whole',
    minimum: 1,
    maximum: 3600,
    default: 10,
    sentence: 'How long a client may take to send the body of a request that uploads no file, in seconds.',
  },
  SIANN_KEEP_ALIVE_SECONDS: {
    key: 'keepAliveSeconds',
    kind: 'whole',
    minimum: 1,
    maximum: 3600,
    default: 15,
    shownDefault: '15; with SIANN_TLS=proxy, 65',
    sentence:
      'How long a connection stays open without a request, in seconds. Behind a proxy, this must be longer than the proxy keeps its connections.',
  },
  SIANN_UPLOAD_IDLE_SECONDS: {
    key: 'uploadIdleSeconds',
    kind: 'whole',
    minimum: 1,
    maximum: 3600,
    default: 15,
    sentence: 'How long an upload may pause before it is cut off, in seconds.',
  },
  SIANN_UPLOAD_BYTES_PER_SECOND: {
    key: 'uploadBytesPerSecond',
    kind: 'whole',
    minimum: 0,
    maximum: 1_000_000_000,
    default: 1000,
    sentence:
      'How fast an upload must be on average once it has lasted 15 seconds, in bytes per second. A slower upload is cut off.',
  },
  SIANN_MAX_STREAMS: {
    key: 'maxStreams',
    kind: 'whole',
    minimum: 1,
    maximum: 100_000,
    default: 256,
    sentence:
      'How many streams of live captions may be connected at the same time. Further streams are asked to try again later.',
  },
  SIANN_STREAM_IDLE_SECONDS: {
    key: 'streamIdleSeconds',
    kind: 'whole',
    minimum: 1,
    maximum: 3600,
    default: 30,
    sentence: 'How long a stream may send neither audio nor a keepalive before it is closed, in seconds.',
  },
  SIANN_MAX_TRANSCRIPTIONS: {
    key: 'maxTranscriptions',
    kind: 'whole',
    minimum: 1,
    maximum: 100_000,
    default: 256,
    sentence:
      'How many files may be in transcription at the same time, including those that wait. Further files are asked to try again later.',
  },
  SIANN_LEDGER_DAYS: {
    key: 'ledgerDays',
    kind: 'whole',
    minimum: 0,
    maximum: 36_500,
    default: 0,
    sentence:
      'How many days the entries of single requests are kept in the ledger. Totals by day and month stay for ever. 0 keeps everything.',
  },
  SIANN_CONSOLE: {
    key: 'console',
    kind: 'text',
    format: 'console',
    default: 'on',
    sentence:
      'Who may open the web console: on for every address, off for nobody, or the networks that may, such as 192.0.2.0/24,2001:db8::/32.',
  },
  SIANN_OIDC_ISSUER: {
    key: 'oidcIssuer',
    kind: 'text',
    format: 'issuer',
    sentence:
      'The address of an OpenID Connect provider with which people sign in to the console, such as https://id.example.com/realms/main. Without it, they have passwords.',
  },
  SIANN_OIDC_CLIENT_ID: {
    key: 'oidcClientId',
    kind: 'text',
    sentence: 'The id under which the provider knows this installation.',
  },
  SIANN_OIDC_CLIENT_SECRET: {
    key: 'oidcClientSecret',
    kind: 'text',
    sentence: 'The secret for that id. Without it, the client is a public one.',
  },
  SIANN_OIDC_CLIENT_AUTH: {
    key: 'oidcClientAuthentication',
    kind: 'choice',
    values: ['basic', 'post'],
    default: 'basic',
    sentence: 'How the secret is sent to the provider: client_secret_basic or client_secret_post.',
  },
  SIANN_OIDC_REDIRECT_URL: {
    key: 'oidcRedirectUrl',
    kind: 'text',
    format: 'https',
    shownDefault: 'https://<host>:<port>/console/single-sign-on/callback',
    sentence:
      'Where the provider sends browsers back to, as it is registered there: the address of the console with /single-sign-on/callback after it. Needed behind a proxy.',
  },
  SIANN_OIDC_SCOPES: {
    key: 'oidcScopes',
    kind: 'text',
    default: 'openid profile email',
    sentence: 'What the provider is asked for, with spaces between. openid must be among it.',
  },
  SIANN_OIDC_ROLE_CLAIM: {
    key: 'oidcRoleClaim',
    kind: 'text',
    default: 'groups',
    sentence: 'The claim of the ID token that decides which role somebody has.',
  },
  SIANN_OIDC_ROLES: {
    key: 'oidcRoleMap',
    kind: 'text',
    format: 'roles',
    default: '',
    sentence:
      'Which value of that claim gives which role, such as admins=owner,staff=operator. The role that may do most counts.',
  },
  SIANN_OIDC_DEFAULT_ROLE: {
    key: 'oidcDefaultRole',
    kind: 'choice',
    values: ['none', 'viewer', 'operator', 'owner'],
    default: 'none',
    sentence: 'The role of everybody else whom the provider vouches for. none lets them not in.',
  },
  SIANN_API_KEY: {
    key: 'apiKey',
    kind: 'text',
    sentence: 'The key that `siann listen` sends to the service. The service itself does not read it.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The value of every setting under its key. It is undefined when the setting is not set and has no default. */
export type SettingValues = {
  [Name in SettingName as (typeof settings)[Name]['key']]: ValueOf<(typeof settings)[Name]>;
};

type ValueOf<S extends Setting> = S extends { kind: 'choice'; values: readonly (infer Value)[] }
  ? Value
  : S extends { kind: 'whole' }
    ? number
    : S extends { kind: 'list' }
      ? readonly string[]
      : S extends { default: string }
        ? string
        : string | undefined;
