import { ServiceError } from '../errors/service-error.ts';
import type { Counters } from '../storage/counters.ts';
import type { Database } from '../storage/database.ts';
import { createMemoryCounters } from '../storage/memory-counters.ts';
import type { Credential, Gate, Lease } from './admission.ts';
import { keyInHeader } from './keys/api-key.ts';
import { createInvalidKeyDelay } from './keys/invalid-key-delay.ts';
import { createKeyLookup, type KnownKey } from './keys/key-lookup.ts';
import { createRevocationMonitor } from './keys/revocation-monitor.ts';
import { emptyBodyHash, readSignature, type Signature } from './keys/signature.ts';
import { createStreamTokens } from './keys/stream-tokens.ts';
import { createLease, quotaExceeded, refuseReplay } from './lease.ts';
import { createBalanceReader } from './ledger/balances.ts';
import { periodAt } from './ledger/calendar.ts';
import { createLedger } from './ledger/ledger.ts';
import { type Plan, type Plans, plans as publishedPlans } from './projects/plans.ts';
import { repeat } from './repeat.ts';

type Options = {
  database: Database;
  /** The name under which this process holds reservations: the same after a restart, and no other process's. */
  instance: string;
  /** Where failures of the work between requests go. */
  log: { error(fields: object, message: string): void };
  counters?: Counters;
  clock?: { now(): number };
  plans?: Plans;
};

type Found = { key: KnownKey; tokenNote?: string | undefined };

const renewMs = 20_000;
const catchUpMs = 2_000;

/** Ready to admit once what this instance held at its last end has been given back. */
export async function createGate(options: Options): Promise<Gate & AsyncDisposable> {
  const { database, instance, log, clock = Date, plans = publishedPlans } = options;
  const { counters = createMemoryCounters({ clock }) } = options;
  const keys = createKeyLookup({ database });
  const readBalance = createBalanceReader({ database });
  const ledger = createLedger({ database, instance, clock });
  const tokens = createStreamTokens({ counters, clock });
  const delayInvalidKey = createInvalidKeyDelay({ counters });
  const revocations = createRevocationMonitor({
    database,
    keys,
    onError: (error) => log.error({ err: error }, 'Keys could not be checked for revocation'),
  });

  await ledger.releaseOwn();
  const renewal = repeat({
    everyMs: renewMs,
    work: () => ledger.renew().then(ledger.releaseExpired),
    onError: (error) => log.error({ err: error }, 'Reservations could not be renewed'),
  });
  const catchUp = repeat({
    everyMs: catchUpMs,
    work: ledger.catchUp,
    onError: (error) => log.error({ err: error }, 'The ledger could not catch up'),
  });

  const authenticate = async (credential: Credential): Promise<Found> => {
    const found = await findKey(credential);
    if (found?.key.admitted.environment === credential.environment) return found;
    await delayInvalidKey(credential.address);
    throw new ServiceError('invalid_api_key');
  };
  const findKey = async ({ streamToken, authorization }: Credential): Promise<Found | undefined> => {
    if (streamToken !== undefined) {
      const token = await tokens.redeem(streamToken);
      const key = token && (await keys.findByHash(token.keyHash));
      return key && { key, tokenNote: token.note };
    }
    const text = keyInHeader(authorization);
    const key = text === undefined ? undefined : await keys.find(text);
    return key && { key };
  };

  const takePermit = async (key: KnownKey, plan: Plan): Promise<() => Promise<void>> => {
    const name = `connections ${key.admitted.key.id}`;
    if (!(await counters.takePermit(name, plan.concurrentConnections)))
      throw new ServiceError('concurrency_exceeded', { retryAfterSeconds: 1 });
    const giveBack = () => counters.returnPermit(name);
    try {
      if (await isUsedUp(key, plan)) throw quotaExceeded(clock.now());
      return giveBack;
    } catch (error) {
      await giveBack();
      throw error;
    }
  };

  const isUsedUp = async ({ admitted }: KnownKey, plan: Plan): Promise<boolean> => {
    const quotaMs = quotaOf(plan);
    if (quotaMs === undefined) return false;
    const { usedMs } = await readBalance(admitted.key.id, periodAt(clock.now()).month);
    return usedMs >= quotaMs;
  };

  return {
    async admit(credential, kind): Promise<Lease> {
      const { key, tokenNote } = await authenticate(credential);
      const { admitted } = key;
      if (credential.projectId !== undefined && credential.projectId !== admitted.project.id)
        throw new ServiceError('project_not_found');
      if (!key.allowsAddress(credential.address)) throw new ServiceError('ip_not_allowed');
      const signature = signatureOf(credential, key, clock.now());
      if (kind === 'call') signature?.verify(emptyBodyHash);

      const plan = plans[admitted.plan];
      const waitMs = await counters.takeToken(`requests ${admitted.key.id}`, plan.requestsPerSecond);
      if (waitMs > 0) throw new ServiceError('rate_limit_exceeded', { retryAfterSeconds: waitMs / 1000 });
      const returnPermit = kind === 'connection' ? await takePermit(key, plan) : async () => {};
      // Noted last, so that a request that was turned away can be sent again as it is.
      if (kind === 'call' && signature) await refuseReplay(counters, admitted.key.id, signature);

      return createLease({
        requestId: credential.requestId,
        admitted,
        quotaMs: quotaOf(plan),
        signed: signature !== undefined,
        unverified: kind === 'call' ? undefined : signature,
        abortWhenRevoked: (controller) => revocations.add(key.hash, controller),
        returnPermit,
        issueToken: (note) => tokens.issue(key.hash, note),
        tokenNote,
        ledger,
        counters,
        clock,
      });
    },
    async [Symbol.asyncDispose]() {
      for (const work of [renewal, catchUp, revocations]) work[Symbol.dispose]();
      // What cannot be done now is done when what was held expires, save for what is owed.
      await ledger.catchUp().catch(() => {});
    },
  };
}

function signatureOf(credential: Credential, key: KnownKey, nowMs: number): Signature | undefined {
  // What a token stands for was signed when it was asked for.
  if (key.signingSecret === undefined || credential.streamToken !== undefined) return undefined;
  return readSignature(credential, key.signingSecret, nowMs);
}

function quotaOf({ quotaMinutes }: Plan): number | undefined {
  return quotaMinutes === undefined ? undefined : quotaMinutes * 60_000;
}
