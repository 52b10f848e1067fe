import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import { repeat } from '../repeat.ts';
import type { KeyLookup } from './key-lookup.ts';

/** Finds out, within the interval, that a key with work in progress was revoked or regenerated, by whatever process, or has expired. */
export interface RevocationMonitor extends Disposable {
  /** Aborts the controller when the key is no longer valid. Gives the function that ends this. */
  add(key: MonitoredKey, controller: AbortController): () => void;
}

type MonitoredKey = { hash: string; endsAtMs?: number | undefined };

type Options = {
  database: Pick<Database, 'version'>;
  keys: Pick<KeyLookup, 'stillValid'>;
  onError(error: unknown): void;
  clock?: { now(): number };
  intervalMs?: number;
};

export function createRevocationMonitor(options: Options): RevocationMonitor {
  const { database, keys, onError, clock = Date, intervalMs = 300 } = options;
  const monitored = new Map<AbortController, MonitoredKey>();
  let checking: Disposable | undefined;
  let checkedVersion: number | undefined;

  const abort = (controller: AbortController) => controller.abort(new ServiceError('invalid_api_key'));
  const check = async () => {
    // No change of the database tells that the time of a key has come.
    for (const [controller, { endsAtMs }] of monitored)
      if (endsAtMs !== undefined && endsAtMs <= clock.now()) abort(controller);
    const version = database.version();
    if (version !== undefined && version === checkedVersion) return;
    checkedVersion = version;
    const entries = [...monitored];
    const valid = await keys.stillValid([...new Set(entries.map(([, { hash }]) => hash))]);
    for (const [controller, { hash }] of entries) if (!valid.has(hash)) abort(controller);
  };
  const work = () =>
    check().catch((error) => {
      checkedVersion = undefined;
      throw error;
    });
  const stop = () => {
    checking?.[Symbol.dispose]();
    checking = undefined;
  };

  return {
    add(key, controller) {
      monitored.set(controller, key);
      // The next check must also look at keys that were added since the last one.
      checkedVersion = undefined;
      checking ??= repeat({ everyMs: intervalMs, work, onError });
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
