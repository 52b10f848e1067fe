import { ServiceError } from '../errors/service-error.ts';
import type { Counters } from '../storage/counters.ts';
import type { Database } from '../storage/database.ts';
import type { Admitted, Credential, Gate, Lease } from './admission.ts';
import { createCharges, quotaExceeded } from './charges.ts';
import { createAuthentication } from './keys/authentication.ts';
import { createBodyCheck } from './keys/body-check.ts';
import { createKeyLookup, type KeyTerms, type KnownKey } from './keys/key-lookup.ts';
import { createLastUse } from './keys/last-use.ts';
import { createRevocationMonitor } from './keys/revocation-monitor.ts';
import { emptyBodyHash, readSignature, refuseReplay, type Signature } from './keys/signature.ts';
import type { SignatureNotes } from './keys/signature-notes.ts';
import type { SigningSecrets } from './keys/signing-secrets.ts';
import { createStreamTokens } from './keys/stream-tokens.ts';
import { createLease } from './lease.ts';
import { createBalanceReader } from './ledger/balances.ts';
import { periodAt } from './ledger/calendar.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Plan, Plans } from './projects/plans.ts';

export type GateOptions = {
  database: Database;
  ledger: Ledger;
  counters: Counters;
  plans: Plans;
  /** Where failures of the work between requests go. */
  log: { error(fields: object, message: string): void };
  clock?: { now(): number };
  /** Without it, signing secrets are kept readable. */
  signingSecrets?: Pick<SigningSecrets, 'open'>;
  /** Where used signatures are noted, if not among the counters. */
  signatureNotes?: SignatureNotes;
};

/** Admits requests: one check after the other, in a fixed order. */
export function createGate(options: GateOptions): Gate & Disposable {
  const { database, ledger, counters, plans, log, clock = Date } = options;
  const keys = createKeyLookup({
    database,
    clock,
    ...(options.signingSecrets && { signingSecrets: options.signingSecrets }),
  });
  const notes = options.signatureNotes ?? counters;
  const tokens = createStreamTokens({ counters, clock });
  const authenticate = createAuthentication({ keys, tokens, counters });
  const readBalance = createBalanceReader({ database });
  const noteUse = createLastUse({
    database,
    clock,
    onError: (error) => log.error({ err: error }, 'When a key was last used could not be kept'),
  });
  const revocations = createRevocationMonitor({
    database,
    keys,
    clock,
    onError: (error) => log.error({ err: error }, 'Keys could not be checked for revocation'),
  });

  const takePermit = async ({ key }: Admitted, plan: Plan): Promise<() => Promise<void>> => {
    const name = `connections ${key.id}`;
    if (!(await counters.takePermit(name, plan.concurrentConnections)))
      throw new ServiceError('concurrency_exceeded', { retryAfterSeconds: 1 });
    const giveBack = () => counters.returnPermit(name);
    try {
      if (await isUsedUp(key.id, plan)) throw quotaExceeded(clock.now());
      return giveBack;
    } catch (error) {
      await giveBack();
      throw error;
    }
  };

  const isUsedUp = async (keyId: string, plan: Plan): Promise<boolean> => {
    const quotaMs = quotaOf(plan);
    if (quotaMs === undefined) return false;
    const { usedMs } = await readBalance(keyId, periodAt(clock.now()).month);
    return usedMs >= quotaMs;
  };

  return {
    async admit(credential, kind): Promise<Lease> {
      const { key, tokenNote } = await authenticate(credential);
      const { admitted } = key;
      const keyId = admitted.key.id;
      if (credential.projectId !== undefined && credential.projectId !== admitted.project.id)
        throw new ServiceError('project_not_found');
      throwUnlessAllowed(key, credential);
      const signature = signatureOf(credential, key, clock.now());
      if (kind === 'call') signature?.verify(emptyBodyHash);
      throwUnlessInScope(key, credential);

      let plan = plans[admitted.plan];
      const waitMs = await counters.takeToken(`requests ${keyId}`, plan.requestsPerSecond);
      if (waitMs > 0) throw new ServiceError('rate_limit_exceeded', { retryAfterSeconds: waitMs / 1000 });
      const returnPermit = kind === 'connection' ? await takePermit(admitted, plan) : async () => {};
      // The signature is noted last, so that a request which was refused can be sent again unchanged.
      if (kind === 'call' && signature) await refuseReplay(notes, keyId, signature);

      noteUse(keyId);
      // Work in progress is held to what would be decided now.
      const checkTerms = (terms: KeyTerms) => {
        throwUnlessAllowed(terms, credential);
        throwUnlessInScope(terms, credential);
        plan = plans[terms.plan];
      };
      const { requestId } = credential;
      const unverified = kind === 'call' ? undefined : signature;
      return createLease({
        admitted,
        body: createBodyCheck({ keyId, notes, signed: signature !== undefined, unverified }),
        charges: createCharges({ requestId, keyId, quotaMs: () => quotaOf(plan), ledger, clock }),
        token: { issue: (note) => tokens.issue(key.hash, note), note: tokenNote },
        abortWhenRevoked: (controller) => revocations.add({ ...key, check: checkTerms }, controller),
        returnPermit,
      });
    },
    [Symbol.dispose]: () => revocations[Symbol.dispose](),
  };
}

function signatureOf(credential: Credential, key: KnownKey, nowMs: number): Signature | undefined {
  // A token needs no signature: the request that asked for it was signed.
  if (key.signingSecret === undefined || credential.streamToken !== undefined) return undefined;
  return readSignature(credential, key.signingSecret, nowMs);
}

function throwUnlessAllowed({ allowsAddress }: KeyTerms | KnownKey, { address }: Credential): void {
  if (!allowsAddress(address)) throw new ServiceError('ip_not_allowed');
}

function throwUnlessInScope({ scopes }: KeyTerms | KnownKey, { scope }: Credential): void {
  if (scope === undefined || scopes === undefined || scopes.includes(scope)) return;
  throw new ServiceError('insufficient_permission', {
    message: `The key may not do this: it lacks the scope ${scope}. Use a key that has it.`,
  });
}

function quotaOf({ quotaMinutes }: Plan): number | undefined {
  return quotaMinutes === undefined ? undefined : quotaMinutes * 60_000;
}
