import { ServiceError } from '../../errors/service-error.ts';

/** The limits for all transcriptions of the process: how many there may be, and how many bytes they may hold together. */
export type TranscriptionCapacity = {
  inFlight(): number;
  heldBytes(): number;
  /** Throws overloaded. Disposing of the permit gives it back. */
  takePermit(): Disposable;
  /** Returns false when that would be too many bytes. */
  hold(bytes: number): boolean;
  release(bytes: number): void;
};

type CapacityOptions = { maxTranscriptions: number; maxHeldBytes?: number };

const defaultMaxHeldBytes = 256 * 1024 * 1024;

/** An estimate of when a permit is free again. Most recordings are short. */
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
      let isTaken = true;
      return {
        [Symbol.dispose]() {
          if (isTaken) inFlight--;
          isTaken = false;
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
