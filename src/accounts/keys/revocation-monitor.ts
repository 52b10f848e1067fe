import { ServiceError } from '../../errors/service-error.ts';
import type { Database } from '../../storage/database.ts';
import { repeat } from '../repeat.ts';
import type { KeyLookup } from './key-lookup.ts';

/** Finds out, within the interval, that a key with work in progress was revoked or regenerated, by whatever process. */
export interface RevocationMonitor extends Disposable {
  /** Aborts the controller when the key is no longer valid. Gives the function that ends this. */
  add(hash: string, controller: AbortController): () => void;
}

type Options = {
  database: Pick<Database, 'version'>;
  keys: Pick<KeyLookup, 'stillValid'>;
  onError(error: unknown): void;
  intervalMs?: number;
};

export function createRevocationMonitor(options: Options): RevocationMonitor {
  const { database, keys, onError, intervalMs = 300 } = options;
  const monitored = new Map<AbortController, string>();
  let checking: Disposable | undefined;
  let checkedVersion: number | undefined;

  const check = async () => {
    const version = database.version();
    if (version !== undefined && version === checkedVersion) return;
    checkedVersion = version;
    const entries = [...monitored];
    const valid = await keys.stillValid([...new Set(entries.map(([, hash]) => hash))]);
    for (const [controller, hash] of entries) {
      if (!valid.has(hash)) controller.abort(new ServiceError('invalid_api_key'));
    }
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
    add(hash, controller) {
      monitored.set(controller, hash);
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
