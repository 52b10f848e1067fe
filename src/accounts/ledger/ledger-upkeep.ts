import { repeat } from '../repeat.ts';
import type { Ledger } from './ledger.ts';

type Options = {
  ledger: Ledger;
  /** Deletes entries that are too old. */
  prune?: () => Promise<unknown>;
  /** Where failures go, since nobody waits for this work. */
  log: { error(fields: object, message: string): void };
};

const renewMs = 20_000;
const catchUpMs = 2_000;
const pruneMs = 3_600_000;

/** The ledger's work between requests. Resolves when everything that this instance still held from its last run is given back. */
export async function startLedgerUpkeep({ ledger, prune, log }: Options): Promise<AsyncDisposable> {
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
  const onPruneError = (error: unknown) =>
    log.error({ err: error }, 'Old entries of the ledger could not be deleted');
  const pruning = prune && repeat({ everyMs: pruneMs, work: prune, onError: onPruneError });
  prune?.().catch(onPruneError);
  return {
    async [Symbol.asyncDispose]() {
      pruning?.[Symbol.dispose]();
      renewal[Symbol.dispose]();
      catchUp[Symbol.dispose]();
      // What is still held expires by itself and is then given back. Only what is owed is lost.
      await ledger.catchUp().catch(() => {});
    },
  };
}
