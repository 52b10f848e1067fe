import { ServiceError } from '../../errors/service-error.ts';

/** What all transcriptions of the process share: how many there may be, and how many bytes they may hold back together. */
export type TranscriptionCapacity = {
  inFlight(): number;
  heldBytes(): number;
  /** Throws overloaded. The permit is given back by disposing of it. */
  takePermit(): Disposable;
  /** False when that would be too many. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
};

export type CapacityOptions = { maxTranscriptions: number; maxHeldBytes?: number };

const defaultMaxHeldBytes = 256 * 1024 * 1024;

/** A guess at when a permit is free again: most recordings are short. */
const retryAfterSeconds = 2;

export function createTranscriptionCapacity({
  maxTranscriptions,
  maxHeldBytes = defaultMaxHeldBytes,
}: CapacityOptions): TranscriptionCapacity {
  let inFlight = 0;
  let held = 0;
  return {
    inFlight: () => inFlight,
    heldBytes: () => held,

    takePermit() {
      if (inFlight >= maxTranscriptions) throw new ServiceError('overloaded', { retryAfterSeconds });
      inFlight++;
      let given = true;
      return {
        [Symbol.dispose]() {
          if (given) inFlight--;
          given = false;
        },
      };
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
