import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../wire/account.ts';
import { createAuditedAccounts } from '../accounts/audit/audited-accounts.ts';
import { createGate } from '../accounts/gate.ts';
import { createSignatureNotes } from '../accounts/keys/signature-notes.ts';
import { createSigningSecrets, sealOldSecrets } from '../accounts/keys/signing-secrets.ts';
import { createLedger } from '../accounts/ledger/ledger.ts';
import { pruneLedger } from '../accounts/ledger/ledger-retention.ts';
import { startLedgerUpkeep } from '../accounts/ledger/ledger-upkeep.ts';
import { type Accounts, createAccounts } from '../accounts/projects/accounts.ts';
import { type Plans, plans as publishedPlans } from '../accounts/projects/plans.ts';
import type { ConsoleUsers } from '../accounts/sign-in/console-users.ts';
import type { SignIn } from '../accounts/sign-in/sign-in.ts';
import { createUsageViews } from '../accounts/usage/usage-views.ts';
import { createNetworkList } from '../addresses/networks.ts';
import { serviceUrl } from '../addresses/service-url.ts';
import { createConsole } from '../http/console/create-console.ts';
import { createServiceFigures } from '../http/console/service-figures.ts';
import { createOpenStreams } from '../http/realtime/open-streams.ts';
import { createServiceRoutes } from '../http/routes/service-routes.ts';
import { openPort } from '../http/server/connection/open-port.ts';
import { createEnvironmentServer } from '../http/server/environment-server.ts';
import { createCertificateSource } from '../http/tls/certificate-source.ts';
import { createMetrics } from '../operations/metrics.ts';
import { createReadiness } from '../operations/readiness.ts';
import type { ServiceLog } from '../operations/service-log.ts';
import { requestsEnded, type ServiceState } from '../operations/service-state.ts';
import { createTracing } from '../operations/tracing.ts';
import type { Config } from '../settings/config.ts';
import type { Recogniser } from '../speech/recogniser.ts';
import { installationSecret } from '../storage/installation-secret.ts';
import { createMemoryCounters } from '../storage/memory-counters.ts';
import { openDatabase } from '../storage/open-database.ts';
import { openRedis } from '../storage/redis/redis.ts';
import { createRedisCounters } from '../storage/redis/redis-counters.ts';
import { createSeal } from '../storage/seal.ts';
import { type CreateRecogniser, createRecogniser, type RecogniserOptions } from './create-recogniser.ts';
import { createOpenParts } from './open-parts.ts';
import { singleSignOnOf } from './single-sign-on.ts';

export type ServiceOptions = {
  config: Config;
  log: ServiceLog;
  onPrepare?: RecogniserOptions['onPrepare'];
  /** Instead of the real recogniser and the published plans. */
  createRecogniser?: CreateRecogniser;
  plans?: Plans;
};

export type Service = AsyncDisposable & {
  /** The base address of each environment, as clients are given it. */
  addresses: Record<Environment, string>;
  /** The authority that clients have to trust, where the certificate is a development certificate. */
  authorityPath: string | undefined;
  accounts: Accounts;
  signIn: SignIn;
  users: ConsoleUsers;
  recogniser: Recogniser;
  /** Builds the files of the console. Otherwise they are built for the first browser, which waits. */
  prepareConsole(): Promise<void>;
  /** Takes no new work and lets what runs finish, as long as the settings allow. */
  drain(): Promise<void>;
  reloadCertificate(): Promise<void>;
};

/** Puts the service together, from top to bottom. It is taken apart in reverse. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, log, plans = publishedPlans } = options;
  const { keep, closeAll } = createOpenParts();

  try {
    const livePort = keep(await openPort({ ...connectionLimits(config), port: config.port }));
    const testPort = keep(await openPort({ ...connectionLimits(config), port: config.testPort }));
    const database = keep(await openDatabase({ url: config.databaseUrl }));
    const secret = await installationSecret(config);
    const seal = secret === undefined ? undefined : createSeal(secret);
    const signingSecrets = createSigningSecrets(seal);
    await sealOldSecrets(database, seal);
    if (!seal)
      log.warn({}, 'Signing secrets lie in the database as they are. Set SIANN_SECRET to seal them.');
    const accountOptions = { database, signingSecrets: async () => signingSecrets };
    const accounts = createAccounts(accountOptions);
    const redis = config.redisUrl ? keep(await openRedis({ url: config.redisUrl, log })) : undefined;
    const counters = keep(
      redis
        ? createRedisCounters({ redis, node: config.instance, secret: config.secret })
        : createMemoryCounters(),
    );
    const ledger = createLedger({ database, instance: config.instance });
    const prune = () => pruneLedger({ database, keepDays: config.ledgerDays });
    keep(await startLedgerUpkeep({ ledger, prune, log }));
    const gate = keep(
      createGate({
        database,
        ledger,
        counters,
        plans,
        log,
        signingSecrets,
        // Redis keeps them over a restart of this process; memory does not.
        ...(!redis && { signatureNotes: createSignatureNotes({ database }) }),
      }),
    );
    const views = createUsageViews({ database, plans });
    const certificates =
      config.tls === 'proxy' ? undefined : keep(await createCertificateSource({ config, log }));
    const tracing = config.otlpEndpoint
      ? keep(await createTracing({ endpoint: config.otlpEndpoint }))
      : undefined;
    const untraced = keep(
      await (options.createRecogniser ?? createRecogniser)({
        config,
        log,
        servesOthers: true,
        ...(options.onPrepare && { onPrepare: options.onPrepare }),
      }),
    );
    const recogniser = tracing?.traced(untraced) ?? untraced;

    const state: ServiceState = { draining: false, requestsOpen: 0 };
    const streams = createOpenStreams({ maxStreams: config.maxStreams });
    const figures = createServiceFigures({ load: recogniser.load, streams });
    const metrics = figures.fedBy(createMetrics({ load: recogniser.load }));
    const readiness = createReadiness({ state, recogniser, database, ...(redis && { redis }) });
    const addresses = { live: baseAddress(config, livePort.port), test: baseAddress(config, testPort.port) };
    const routes = createServiceRoutes({
      config,
      views,
      recogniser,
      streams,
      metrics,
      readiness,
      log,
      addresses,
    });
    const webConsole = createConsole({
      database,
      counters,
      accounts,
      accountsFor: (actor) => createAuditedAccounts(accountOptions, actor),
      plans,
      figures,
      addresses,
      networks: config.consoleNetworks,
      singleSignOn: singleSignOnOf(config, { seal, log, addresses }),
    });
    const liveRoutes = async (app: FastifyInstance) => {
      await routes(app);
      await webConsole.routes(app);
    };
    const serving = { config, certificates, gate, state, log, metrics, tracing };
    keep(
      await createEnvironmentServer({ environment: 'live', port: livePort, routes: liveRoutes, ...serving }),
    );
    keep(await createEnvironmentServer({ environment: 'test', port: testPort, routes, ...serving }));
    log.info({ live: addresses.live, test: addresses.test }, 'listening');

    return {
      addresses,
      authorityPath: certificates?.authorityPath,
      accounts,
      signIn: webConsole.signIn,
      users: webConsole.users,
      recogniser,
      prepareConsole: webConsole.prepare,
      async drain() {
        state.draining = true;
        livePort.stopAccepting();
        testPort.stopAccepting();
        streams.drain();
        await requestsEnded(state, config.drainSeconds * 1000);
      },
      reloadCertificate: async () => certificates?.reload(),
      [Symbol.asyncDispose]: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** A trusted proxy may open any number of connections, since all clients come through it. */
function connectionLimits({ host, maxConnections, tls, trustedProxies }: Config) {
  return { host, maxConnections, unlimited: createNetworkList(tls === 'proxy' ? trustedProxies : []) };
}

/** Behind a proxy this is the address that the proxy calls, and not that of clients. */
function baseAddress({ host, tls }: Config, port: number): string {
  return `${serviceUrl({ host, port, tls: tls === 'on' })}/v1`;
}
