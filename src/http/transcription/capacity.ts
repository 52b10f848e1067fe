import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { createPaces } from '../../async/paces.ts';
import { createTally } from '../../async/tally.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** The limits for all transcriptions of the process: how many there may be, and how many bytes they may hold together. */
export type TranscriptionCapacity = {
  inFlight(): number;
  heldBytes(): number;
  /** Throws overloaded. Disposing of the permit gives it back. */
  takePermit(projectId: string): TranscriptionPermit;
  /** Resolves when the project may begin another. */
  turnOf(projectId: string, signal: AbortSignal): Promise<void>;
  /** Returns false when that would be too many bytes. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
};

export type TranscriptionPermit = Disposable & {
  /** The project had no other transcription under way, so somebody waits for this one. Many at once are work for later. */
  readonly isOnlyOne: boolean;
};

type CapacityOptions = { maxTranscriptions: number; maxHeldBytes?: number };

const defaultMaxHeldBytes = 256 * 1024 * 1024;

/** An estimate of when a permit is free again. Most recordings are short. */
const retryAfterSeconds = 2;

/**
 * Speech cannot be recognised faster than this by the cores there are, so only files that hold none wait: thousands of them would
 * otherwise keep the decoders from others. In a cluster, files are decoded here and recognised elsewhere.
 */
const ofOneProject = {
  perSecond: 5 * availableParallelism(),
  burst: 20 * availableParallelism(),
  longestMs: 5_000,
};

export function createTranscriptionCapacity({
  maxTranscriptions,
  maxHeldBytes = defaultMaxHeldBytes,
}: CapacityOptions): TranscriptionCapacity {
  let inFlight = 0;
  let held = 0;
  const waitOf = createPaces(ofOneProject);
  const underWay = createTally();
  return {
    inFlight: () => inFlight,
    heldBytes: () => held,

    takePermit(projectId) {
      if (inFlight >= maxTranscriptions) throw new ServiceError('overloaded', { retryAfterSeconds });
      const isOnlyOne = underWay.of(projectId) === 0;
      inFlight++;
      underWay.add(projectId);
      let isTaken = true;
      return {
        isOnlyOne,
        [Symbol.dispose]() {
          if (!isTaken) return;
          isTaken = false;
          inFlight--;
          underWay.remove(projectId);
        },
      };
    },

    async turnOf(projectId, signal) {
      const waitMs = waitOf(projectId);
      if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    },

    hold(bytes) {
      if (held + bytes > maxHeldBytes) return false;
      held += bytes;
      return true;
    },

    release(bytes) {
      held -= bytes;
    },
  };
}
