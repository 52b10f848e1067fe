import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import { repeat } from '../repeat.ts';
import type { KeyLookup, KeyTerms } from './key-lookup.ts';

/**
 * Finds out, within the interval, what has become of a key with work in progress, by whatever process: that it was revoked or
 * regenerated, has expired, or may do less than before.
 */
export interface RevocationMonitor extends Disposable {
  /** Aborts the controller when the work may not go on. Gives the function that ends this. */
  add(work: MonitoredWork, controller: AbortController): () => void;
}

type MonitoredWork = {
  hash: string;
  endsAtMs?: number | undefined;
  /** Throws when the key would not be let in for this any more. */
  check(terms: KeyTerms): void;
};

type Options = {
  database: Pick<Database, 'version'>;
  keys: Pick<KeyLookup, 'stillValid'>;
  onError(error: unknown): void;
  clock?: { now(): number };
  intervalMs?: number;
};

export function createRevocationMonitor(options: Options): RevocationMonitor {
  const { database, keys, onError, clock = Date, intervalMs = 300 } = options;
  const monitored = new Map<AbortController, MonitoredWork>();
  let checking: Disposable | undefined;
  let checkedVersion: number | undefined;

  const abort = (controller: AbortController) => controller.abort(new ServiceError('invalid_api_key'));
  const checkTerms = (controller: AbortController, { check }: MonitoredWork, terms: KeyTerms) => {
    try {
      check(terms);
    } catch (refusal) {
      controller.abort(refusal);
    }
  };
  const check = async () => {
    // No change of the database tells that the time of a key has come.
    for (const [controller, { endsAtMs }] of monitored)
      if (endsAtMs !== undefined && endsAtMs <= clock.now()) abort(controller);
    const version = database.version();
    if (version !== undefined && version === checkedVersion) return;
    checkedVersion = version;
    const entries = [...monitored];
    const valid = await keys.stillValid([...new Set(entries.map(([, { hash }]) => hash))]);
    for (const [controller, work] of entries) {
      const terms = valid.get(work.hash);
      if (terms) checkTerms(controller, work, terms);
      else abort(controller);
    }
  };
  const checkAll = () =>
    check().catch((error) => {
      checkedVersion = undefined;
      throw error;
    });
  const stop = () => {
    checking?.[Symbol.dispose]();
    checking = undefined;
  };

  return {
    add(work, controller) {
      monitored.set(controller, work);
      // The next check must also look at keys that were added since the last one.
      checkedVersion = undefined;
      checking ??= repeat({ everyMs: intervalMs, work: checkAll, onError });
      return () => {
        monitored.delete(controller);
        if (monitored.size === 0) stop();
      };
    },
    [Symbol.dispose]() {
      monitored.clear();
      stop();
    },
  };
}
